// SPDX-License-Identifier: Apache-2.0
#include <gantry/onnx/onnx.hpp>

#include <limits>
#include <utility>

#include "api.hpp"

namespace gantry::onnx {
namespace {

constexpr int kDeviceAllocator = 0;  // OrtDeviceAllocator: memory that no arena keeps
constexpr int kDefaultMemory = 0;    // OrtMemTypeDefault

std::string cure_for(std::string_view file) {
  return "run: gantry models fetch " + std::string(file.substr(0, file.find('/')));
}

/// Ends what a function of the table gave.
class Owned {
 public:
  Owned(const Api* api, Entry release) : api_(api), release_(release) {}
  ~Owned() { api_->release(release_, what_); }
  Owned(const Owned&) = delete;
  Owned& operator=(const Owned&) = delete;
  void** put() { return &what_; }
  [[nodiscard]] void* get() const { return what_; }

 private:
  const Api* api_;
  Entry release_;
  void* what_ = nullptr;
};

/// How many numbers a shape has; none if that is more than memory could hold.
std::size_t count_of(const Shape& shape) {
  std::size_t count = 1;
  for (const std::int64_t dimension : shape) {
    if (dimension <= 0) return 0;
    const auto wide = static_cast<std::size_t>(dimension);
    if (count > std::numeric_limits<std::size_t>::max() / sizeof(std::int64_t) / wide) return 0;
    count *= wide;
  }
  return count;
}

Result<void> configure(const Api* api, void* wishes, const Options& options) {
  GANTRY_TRY(api->call(Entry::SetIntraOpNumThreads, wishes, options.threads));
  GANTRY_TRY(api->call(Entry::SetInterOpNumThreads, wishes, 1));
  // A thread that waits for more work by spinning costs a core for a millisecond each time.
  GANTRY_TRY(api->call(Entry::AddSessionConfigEntry, wishes,
                       static_cast<const char*>("session.intra_op.allow_spinning"),
                       static_cast<const char*>("0")));
  if (options.keep_memory) return {};
  // Both keep memory for later runs; here it goes back to the system.
  GANTRY_TRY(api->call(Entry::DisableMemPattern, wishes));
  return api->call(Entry::DisableCpuMemArena, wishes);
}

Result<void> make_tensor(const Api* api, void* memory, const Input& input, void** out) {
  return std::visit(
      [&](const auto& data) -> Result<void> {
        using Number = std::remove_cv_t<typename std::decay_t<decltype(data)>::value_type>;
        constexpr int kType = std::is_same_v<Number, float>          ? kFloat
                              : std::is_same_v<Number, std::int64_t> ? kInt64
                                                                     : kInt32;
        if (count_of(input.shape) != data.size() || data.empty()) {
          return invalid_argument(std::string("the input '") + input.name + "' has " +
                                  std::to_string(data.size()) +
                                  " numbers, which is not what its shape says");
        }
        // The interface has no read-only tensors; inputs are not written to.
        void* numbers = const_cast<Number*>(data.data());
        return api->call(Entry::CreateTensorWithDataAsOrtValue, static_cast<const void*>(memory),
                         numbers, data.size_bytes(),
                         static_cast<const std::int64_t*>(input.shape.data()), input.shape.size(),
                         kType, out);
      },
      input.data);
}

Result<std::vector<std::string>> names_of(const Api* api, void* session, Entry count_entry,
                                          Entry name_entry) {
  void* allocator = nullptr;
  GANTRY_TRY(api->call(Entry::GetAllocatorWithDefaultOptions, &allocator));
  std::size_t count = 0;
  GANTRY_TRY(api->call(count_entry, static_cast<const void*>(session), &count));
  std::vector<std::string> out;
  for (std::size_t i = 0; i < count; ++i) {
    char* name = nullptr;
    GANTRY_TRY(api->call(name_entry, static_cast<const void*>(session), i, allocator, &name));
    out.emplace_back(name);
    GANTRY_TRY(api->call(Entry::AllocatorFree, allocator, static_cast<void*>(name)));
  }
  return out;
}

/// The values of a run's inputs.
class Values {
 public:
  explicit Values(const Api* api) : api_(api) {}
  ~Values() {
    for (void* value : values_) api_->release(Entry::ReleaseValue, value);
  }
  Values(const Values&) = delete;
  Values& operator=(const Values&) = delete;
  void** add() { return &values_.emplace_back(nullptr); }
  [[nodiscard]] const void* const* data() const { return values_.data(); }

 private:
  const Api* api_;
  std::vector<void*> values_;
};

}  // namespace

Output::Output(Output&& other) noexcept
    : api_(other.api_),
      value_(std::exchange(other.value_, nullptr)),
      data_(std::exchange(other.data_, nullptr)),
      type_(other.type_),
      count_(std::exchange(other.count_, 0)),
      shape_(std::move(other.shape_)) {}

Output& Output::operator=(Output&& other) noexcept {
  std::swap(api_, other.api_);
  std::swap(value_, other.value_);
  std::swap(data_, other.data_);
  std::swap(type_, other.type_);
  std::swap(count_, other.count_);
  std::swap(shape_, other.shape_);
  return *this;
}

Output::~Output() { api_->release(Entry::ReleaseValue, value_); }

Result<void> Output::describe() {
  Owned info(api_, Entry::ReleaseTensorTypeAndShapeInfo);
  const void* value = value_;
  GANTRY_TRY(api_->call(Entry::GetTensorTypeAndShape, value, info.put()));
  const void* about = info.get();
  GANTRY_TRY(api_->call(Entry::GetTensorElementType, about, &type_));
  std::size_t dimensions = 0;
  GANTRY_TRY(api_->call(Entry::GetDimensionsCount, about, &dimensions));
  shape_.resize(dimensions);
  GANTRY_TRY(api_->call(Entry::GetDimensions, about, shape_.data(), dimensions));
  count_ = count_of(shape_);
  return api_->call(Entry::GetTensorMutableData, value_, &data_);
}

std::span<const float> Output::floats() const {
  if (type_ != kFloat) return {};
  return {static_cast<const float*>(data_), count_};
}

std::span<const std::int64_t> Output::integers() const {
  if (type_ != kInt64) return {};
  return {static_cast<const std::int64_t*>(data_), count_};
}

std::filesystem::path library_in(const std::filesystem::path& models_dir) {
  return models_dir / "onnxruntime/libonnxruntime.so";
}

Result<std::string> runtime_version(const std::filesystem::path& library) {
  GANTRY_ASSIGN(const Api* api, api_of(library));
  return api->version;
}

Result<std::filesystem::path> model_file(const std::filesystem::path& models_dir,
                                         std::string_view file) {
  std::filesystem::path path = models_dir / file;
  GANTRY_TRY(check_file(path, cure_for(file)));
  return path;
}

Result<std::shared_ptr<Session>> Session::open(const std::filesystem::path& models_dir,
                                               std::string_view file, const Options& options) {
  GANTRY_ASSIGN(const std::filesystem::path model, model_file(models_dir, file));
  return load(library_in(models_dir), model, options, cure_for(file));
}

Result<std::shared_ptr<Session>> Session::open_files(const std::filesystem::path& library,
                                                     const std::filesystem::path& model,
                                                     const Options& options) {
  const std::string cure = "name the file of a model that ONNX Runtime can load";
  GANTRY_TRY(check_file(model, cure));
  return load(library, model, options, cure);
}

Result<std::shared_ptr<Session>> Session::load(const std::filesystem::path& library,
                                               const std::filesystem::path& model,
                                               const Options& options, const std::string& cure) {
  GANTRY_ASSIGN(const Api* api, api_of(library));
  Owned wishes(api, Entry::ReleaseSessionOptions);
  GANTRY_TRY(api->call(Entry::CreateSessionOptions, wishes.put()));
  GANTRY_TRY(configure(api, wishes.get(), options));
  void* made = nullptr;
  const void* given = wishes.get();
  const void* env = api->env;
  if (const auto loaded = api->call(Entry::CreateSession, env, model.c_str(), given, &made);
      !loaded.ok()) {
    return unavailable(model.string() + " cannot be used: " + loaded.error().message, cure);
  }
  std::shared_ptr<Session> session(new Session(api, made));
  GANTRY_TRY(session->read_names());
  return session;
}

Session::~Session() {
  api_->release(Entry::ReleaseMemoryInfo, memory_);
  api_->release(Entry::ReleaseSession, session_);
}

Result<void> Session::read_names() {
  GANTRY_TRY(api_->call(Entry::CreateCpuMemoryInfo, kDeviceAllocator, kDefaultMemory, &memory_));
  GANTRY_ASSIGN(inputs_,
                names_of(api_, session_, Entry::SessionGetInputCount, Entry::SessionGetInputName));
  GANTRY_ASSIGN(outputs_, names_of(api_, session_, Entry::SessionGetOutputCount,
                                   Entry::SessionGetOutputName));
  return {};
}

Result<std::vector<Output>> Session::run(const std::vector<Input>& inputs,
                                         std::vector<const char*> outputs) const {
  if (outputs.empty()) {
    for (const std::string& name : outputs_) outputs.push_back(name.c_str());
  }
  Values values(api_);
  std::vector<const char*> names;
  for (const Input& input : inputs) {
    names.push_back(input.name);
    GANTRY_TRY(make_tensor(api_, memory_, input, values.add()));
  }
  std::vector<void*> made(outputs.size(), nullptr);
  const Result<void> ran =
      api_->call(Entry::Run, session_, static_cast<const void*>(nullptr),
                 static_cast<const char* const*>(names.data()), values.data(), names.size(),
                 static_cast<const char* const*>(outputs.data()), outputs.size(), made.data());
  std::vector<Output> out;
  out.reserve(made.size());
  for (void* value : made) out.emplace_back(api_, value);
  GANTRY_TRY(ran);
  for (Output& output : out) GANTRY_TRY(output.describe());
  return out;
}

}  // namespace gantry::onnx
