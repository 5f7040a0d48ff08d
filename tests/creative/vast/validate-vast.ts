import { readFileSync } from 'node:fs';
import path from 'node:path';
import { validateXML } from 'xmllint-wasm';

/** The schemas of IAB are in the package `vast-xml`; that of 4.2 is not in any. */
const SCHEMAS: Readonly<Record<string, string>> = {
  '2.0': path.join(require.resolve('vast-xml/package.json'), '../test/files/vast_2.0.1.xsd'),
  '3.0': path.join(require.resolve('vast-xml/package.json'), '../test/files/vast3_draft.xsd'),
  '4.2': path.join(__dirname, 'vast-4.2-subset.xsd'),
};

/** The faults of documents by the schema of a version. What players fill in (`[ERRORCODE]`) is filled, since a URL has no brackets. */
export const vastFaults = async (version: string, documents: readonly string[]): Promise<readonly string[]> => {
  const schema = SCHEMAS[version];
  if (schema === undefined) throw new Error(`VAST ${version} has no schema here`);
  const { errors } = await validateXML({
    xml: documents.map((contents, i) => ({ fileName: `${i}.xml`, contents: contents.replaceAll('[ERRORCODE]', '303') })),
    schema: [{ fileName: 'vast.xsd', contents: readFileSync(schema, 'utf8') }],
  });
  return errors.map(({ message, loc }) => `${loc?.fileName ?? ''}: ${message}`);
};
