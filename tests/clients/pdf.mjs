// SPDX-License-Identifier: Apache-2.0
/** A PDF of one page with these words. */
export function pdf(words) {
  const drawing = `BT /F1 18 Tf 20 100 Td (${words}) Tj ET`;
  const objects = [
    "<</Type/Catalog/Pages 2 0 R>>",
    "<</Type/Pages/Kids[3 0 R]/Count 1>>",
    "<</Type/Page/Parent 2 0 R/MediaBox[0 0 300 144]/Contents 4 0 R/Resources<</Font<</F1 5 0 R>>>>>>",
    `<</Length ${drawing.length}>>stream\n${drawing}\nendstream`,
    "<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>",
  ];
  let out = "%PDF-1.4\n";
  let table = "0000000000 65535 f \n";
  objects.forEach((object, i) => {
    table += `${String(out.length).padStart(10, "0")} 00000 n \n`;
    out += `${i + 1} 0 obj\n${object}\nendobj\n`;
  });
  const count = objects.length + 1;
  return `${out}xref\n0 ${count}\n${table}trailer<</Size ${count}/Root 1 0 R>>\nstartxref\n${out.length}\n%%EOF\n`;
}
