// Scores the rows of plant-a.csv by plant-a.onnx in JavaScript; needs `npm install
// onnxruntime-node`. The columns of the file are those of the model, in its order.
const fs = require("fs"), ort = require("onnxruntime-node");

(async () => {
  const session = await ort.InferenceSession.create("plant-a.onnx");
  const columns = session.inputMetadata[0].shape[1];
  const lines = fs.readFileSync("plant-a.csv", "utf8").trim().split("\n").slice(1);
  const rows = Float32Array.from(lines.flatMap((line) => line.split(",").slice(0, columns).map(Number)));
  const { score } = await session.run({ rows: new ort.Tensor("float32", rows, [lines.length, columns]) });
  console.log(score.data.slice(0, 3));
})();
