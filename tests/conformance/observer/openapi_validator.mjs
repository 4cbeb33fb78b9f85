// SPDX-License-Identifier: Apache-2.0
//
// Validates an OpenAPI description with swagger-parser: the schema of its version, references, and what
// the specification asks beyond the schema. Usage: node openapi_validator.mjs FILE
// GANTRY_NODE_MODULES is the folder of npm packages.
import { createRequire } from "node:module";
import path from "node:path";

const require = createRequire(path.join(process.env.GANTRY_NODE_MODULES, "package.json"));
const SwaggerParser = require("@apidevtools/swagger-parser");

const api = await SwaggerParser.validate(process.argv[2]);
console.log(`OpenAPI ${api.openapi}, ${Object.keys(api.paths).length} paths`);
