import { parseJson } from '../base/parse-json.ts';
import { parseUrl } from '../base/parse-url.ts';
import type { Shape } from '../base/schema.ts';
import { ASSET_FOLDER } from '../catalog/model/asset-rules.ts';
import type { APPLIED } from '../declarations/declaration-api.ts';
import type { DeliveredDay } from '../imports/imported.ts';
import { CliFault } from './cli-fault.ts';
import type { BookingLines } from './read-bookings.ts';

/** What POST /api/apply answers. */
export type Applied = Shape<typeof APPLIED>;

interface ApplyCall {
  readonly publisher?: string | undefined;
  readonly prune?: boolean | undefined;
  readonly isDryRun: boolean;
  readonly ifState?: string;
  readonly note?: string | undefined;
}

interface ProblemAnswer {
  readonly detail?: string;
  readonly title?: string;
  readonly errors?: readonly { readonly pointer: string; readonly detail: string }[];
}

export type BookingsClient = ReturnType<typeof createBookingsClient>;

const FILES_A_PAGE = 1000;
/** As many as the service takes. */
const DAYS_A_CALL = 2_000;

/** The path of a stored file in contents, whichever host its address has. */
const pathOf = (url: string): string => url.slice(Math.max(0, url.indexOf(ASSET_FOLDER)));

/** Calls the service that the environment names. Each method throws a CliFault with the words of the service. */
export const createBookingsClient = ({ ADS_URL, ADS_TOKEN }: NodeJS.ProcessEnv) => {
  if (!ADS_URL || !parseUrl(ADS_URL)) throw new CliFault('ADS_URL must be the address of the service, such as https://ads.example.com', 2);
  /** @param refused the fault of an answer that is a refusal */
  const call = async (
    path: string,
    init: RequestInit & { readonly headers?: Record<string, string> } = {},
    refused: (answer: Response) => Promise<CliFault> = faultOf,
  ): Promise<Response> => {
    const headers = { ...init.headers, ...(ADS_TOKEN && { Authorization: `Bearer ${ADS_TOKEN}` }) };
    const answer = await fetch(new URL(path, ADS_URL), { ...init, headers }).catch((fault: Error) => {
      const { cause, message } = fault;
      throw new CliFault(`${ADS_URL} cannot be reached: ${cause instanceof Error ? cause.message : message}`);
    });
    if (!answer.ok) throw await refused(answer);
    return answer;
  };
  return {
    /** The bookings of a publisher as YAML. */
    pull: async (publisher: string): Promise<string> =>
      (await call(`/api/export?${new URLSearchParams({ publisher, format: 'yaml' }).toString()}`)).text(),
    apply: async ({ lines, placeOf }: BookingLines, { publisher, prune, isDryRun, ifState, note }: ApplyCall): Promise<Applied> => {
      const query = new URLSearchParams({
        ...(publisher !== undefined && { publisher }),
        ...{ dry_run: String(isDryRun), prune: String(prune === true) },
      });
      const headers = {
        'Content-Type': 'application/x-ndjson',
        ...(ifState !== undefined && { 'If-Match': ifState }),
        ...(note !== undefined && { 'Change-Note': encodeURIComponent(note) }),
      };
      const init = { method: 'POST', headers, body: lines.join('\n') };
      const answer = await call(`/api/apply?${query.toString()}`, init, (refused) => faultOf(refused, placeOf));
      return (await answer.json()) as Applied;
    },
    /** Paths of stored files, by the hash of their bytes. */
    storedFiles: async (): Promise<ReadonlyMap<string, string>> => {
      const paths = new Map<string, string>();
      for (let offset = 0; ; offset += FILES_A_PAGE) {
        const answer = await call(`/api/assets?limit=${FILES_A_PAGE}&offset=${offset}`);
        const page = (await answer.json()) as readonly { readonly sha256: string; readonly url: string }[];
        for (const { sha256, url } of page) paths.set(sha256, pathOf(url));
        if (page.length < FILES_A_PAGE) return paths;
      }
    },
    /** Stores a file. @returns its path */
    store: async ({ name, bytes }: { readonly name: string; readonly bytes: Buffer }, publisher: number | null): Promise<string> => {
      const query = new URLSearchParams({ name: name.slice(0, 256), ...(publisher !== null && { publisher_id: String(publisher) }) });
      const headers = { 'Content-Type': 'application/octet-stream' };
      const init = { method: 'PUT', headers, body: new Uint8Array(bytes) };
      const answer = await call(`/api/assets?${query.toString()}`, init, faultAfter(`${name} cannot be stored`));
      return pathOf(((await answer.json()) as { readonly url: string }).url);
    },
    /** Keeps what another system had counted. @returns how many days were kept */
    keepHistory: async (publisher: number, source: string, days: readonly DeliveredDay[]): Promise<number> => {
      let kept = 0;
      for (let at = 0; at < days.length; at += DAYS_A_CALL) {
        const body = JSON.stringify({ publisher_id: publisher, source, days: days.slice(at, at + DAYS_A_CALL) });
        const init = { method: 'POST', headers: { 'Content-Type': 'application/json' }, body };
        const answer = await call('/api/imported_history', init, faultAfter('The history cannot be kept'));
        kept += ((await answer.json()) as { readonly kept: number }).kept;
      }
      return kept;
    },
  };
};

const faultOf = async (answer: Response, placeOf = (pointer: string): string => pointer): Promise<CliFault> => {
  const text = await answer.text();
  const { detail, title, errors = [] } = (parseJson(text) ?? { detail: `${answer.status} ${text.slice(0, 200)}` }) as ProblemAnswer;
  const said = detail ?? title ?? String(answer.status);
  return new CliFault([said, ...errors.map((error) => `${placeOf(error.pointer)} ${error.detail}`)].join('\n'));
};

const faultAfter =
  (words: string) =>
  async (answer: Response): Promise<CliFault> =>
    new CliFault(`${words}: ${(await faultOf(answer)).message}`);
