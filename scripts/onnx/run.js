// Runs NAME.onnx of a folder on the inputs in NAME.json, and compares its outputs with those
// in there. Types are the numbers of TensorProto.DataType; all are float32.
const fs = require("fs"), path = require("path"), ort = require("onnxruntime-node");

const limit = 1e-5;

// distance is the largest error of a value, relative to itself or to the median size of
// all.
function distance(got, want) {
  if (got.dims.join() !== want.Dims.join()) return Infinity;
  const sizes = want.Values.map(Math.abs).sort((a, b) => a - b), median = sizes[sizes.length >> 1];
  return want.Values.reduce((most, v, i) => Math.max(most, Math.abs(got.data[i] - v) / Math.max(Math.abs(v), median)), 0);
}

async function run(file) {
  const known = JSON.parse(fs.readFileSync(file.replace(/onnx$/, "json"), "utf8"));
  const session = await ort.InferenceSession.create(file);
  const feeds = {};
  for (const [name, t] of Object.entries(known.inputs)) feeds[name] = new ort.Tensor("float32", Float32Array.from(t.Values), t.Dims);
  const got = await session.run(feeds);
  const errors = Object.entries(known.outputs).map(([name, want]) => [name, distance(got[name], want)]);
  console.log(path.basename(file), errors.map(([name, e]) => `${name} ${e.toExponential(1)}`).join("  "));
  return errors.every(([, e]) => e <= limit);
}

(async () => {
  const dir = process.argv[2];
  const files = fs.readdirSync(dir).filter((f) => f.endsWith(".onnx"));
  let good = files.length > 0;
  for (const f of files) good = (await run(path.join(dir, f))) && good;
  if (!good) {
    console.error(`run.js: want files whose outputs have errors of at most ${limit}`);
    process.exit(1);
  }
})();
