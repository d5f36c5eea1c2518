/* `npm start`: install, build, serve. An old Node must be able to read this file, so the rest is loaded after the check. */
var OLDEST_NODE = 20;
if (Number(process.versions.node.split(".")[0]) < OLDEST_NODE) {
  process.stderr.write("Sandglass needs Node " + OLDEST_NODE + " or newer; this is " + process.version + ". Install a newer Node and start again.\n");
  process.exitCode = 1;
} else {
  import("./serve.mjs").then(function (module) {
    return module.startProduct(process.argv.slice(2));
  });
}
