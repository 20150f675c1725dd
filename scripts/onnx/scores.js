// Compares the output score of a model with that of collabdict: MODEL.onnx ROWS.csv SCORES.csv,
// where the rows have the model's columns alone.
const fs = require("fs"), ort = require("onnxruntime-node");

const limit = 1e-5;
const table = (file) => fs.readFileSync(file, "utf8").trim().split("\n").slice(1).map((line) => line.split(",").map(Number));

(async () => {
  const [model, rowsFile, scoresFile] = process.argv.slice(2);
  const rows = table(rowsFile), want = table(scoresFile).map(([, score]) => score);
  const session = await ort.InferenceSession.create(model);
  const { score } = await session.run({ rows: new ort.Tensor("float32", Float32Array.from(rows.flat()), [rows.length, rows[0].length]) });
  const worst = want.reduce((most, w, i) => Math.max(most, Math.abs(score.data[i] - w) / Math.max(1, Math.abs(w))), 0);
  console.log(model, `${want.length} scores, largest error ${worst.toExponential(1)} of collabdict's`);
  if (!(want.length === score.data.length && worst <= limit)) {
    console.error(`scores.js: want an error of at most ${limit}`);
    process.exit(1);
  }
})();
