import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { Ajv2020 } from 'ajv/dist/2020';

const schema = JSON.parse(readFileSync(join(__dirname, 'openrtb-2.6-auction.schema.json'), 'utf8')) as object;
const ajv = new Ajv2020({ strict: true, allErrors: true, strictRequired: false, strictTypes: false }).addSchema(schema, 'openrtb');
const [request, response, native] = ['request', 'response', 'native'].map((name) => ajv.compile({ $ref: `openrtb#/$defs/${name}` }));

interface Response {
  readonly seatbid: readonly { readonly bid: readonly { readonly mtype: number; readonly adm: string }[] }[];
}

const faultsBy = (validate: typeof request, value: unknown): readonly string[] =>
  validate!(value) ? [] : (validate!.errors ?? []).map(({ instancePath, message }) => `${instancePath} ${message}`);

/** What of a bid request is not as OpenRTB 2.6 says. */
export const requestFaults = (body: unknown): readonly string[] => faultsBy(request, body);

/** What of a bid response is not as OpenRTB 2.6 says, native markup included. */
export const responseFaults = (body: unknown): readonly string[] => {
  const faults = faultsBy(response, body);
  if (faults.length > 0) return faults;
  const bids = (body as Response).seatbid.flatMap(({ bid }) => bid);
  return bids.flatMap(({ mtype, adm }) => (mtype === 4 ? faultsBy(native, JSON.parse(adm)) : []));
};
