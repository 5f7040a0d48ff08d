/*
 * Reads manifests as JSON from standard input, passes each through the typed client of Kubernetes and prints what came out. A field that the client
 * does not know is missing in it. A program of its own, because the client is an ES module and the tests are not.
 */
import { ObjectSerializer } from '@kubernetes/client-node/dist/serializer.js';

let text = '';
for await (const chunk of process.stdin) text += chunk;
const typeOf = ({ apiVersion, kind }) => {
  const version = apiVersion.split('/').at(-1);
  return `${version[0].toUpperCase()}${version.slice(1)}${kind}`;
};
console.log(
  JSON.stringify(
    JSON.parse(text).map((manifest) => {
      const type = typeOf(manifest);
      return ObjectSerializer.serialize(ObjectSerializer.deserialize(manifest, type), type);
    }),
  ),
);
