/*
 * Reads manifests as JSON from standard input, passes each through the typed client of Kubernetes and
 * prints the result. Fields that the client does not know are missing in it. This is a separate
 * program because the client is an ES module and the tests are CommonJS.
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
