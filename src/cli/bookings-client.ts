import { parseUrl } from '../base/parse-url.ts';
import { ASSET_FOLDER } from '../catalog/model/asset-rules.ts';
import type { DeliveredDay } from '../imports/imported.ts';
import { CliFault } from './cli-fault.ts';
import type { BookingLines } from './read-bookings.ts';

/** What POST /api/apply answers, as far as it is shown. */
export interface Applied {
  readonly publisher_id: number | null;
  readonly api_key?: string;
  readonly state: string;
  readonly changes: readonly Change[];
  readonly unchanged: number;
  readonly undeclared: readonly {
    readonly kind: string;
    readonly key: string | null;
    readonly id: string | number;
    readonly name: string;
  }[];
}

export interface Change {
  readonly action: 'create' | 'update' | 'archive';
  readonly words: string;
  readonly last_change: { readonly actor: string; readonly at: string; readonly note: string | null } | null;
}

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

export interface BookingsClient {
  /** The bookings of a publisher as YAML. */
  pull(publisher: string): Promise<string>;
  apply(files: BookingLines, call: ApplyCall): Promise<Applied>;
  /** Paths of stored files, by the hash of their bytes. */
  storedFiles(): Promise<ReadonlyMap<string, string>>;
  /** Stores a file. @returns its path */
  store(file: { readonly name: string; readonly bytes: Buffer }, publisher: number | null): Promise<string>;
  /** Keeps what another system had counted. @returns how many days were kept */
  keepHistory(publisher: number, source: string, days: readonly DeliveredDay[]): Promise<number>;
}

const FILES_A_PAGE = 1000;
/** As many as the service takes. */
const DAYS_A_CALL = 2_000;

/** The path of a stored file in contents, whichever host its address has. */
const pathOf = (url: string): string => url.slice(Math.max(0, url.indexOf(ASSET_FOLDER)));

/** Calls the service that the environment names. Each method throws a CliFault with the words of the service. */
export const createBookingsClient = ({ ADS_URL, ADS_TOKEN }: NodeJS.ProcessEnv): BookingsClient => {
  if (!ADS_URL || !parseUrl(ADS_URL)) throw new CliFault('ADS_URL must be the address of the service, such as https://ads.example.com', 2);
  const call = async (path: string, init: RequestInit & { readonly headers: Record<string, string> }): Promise<Response> => {
    const headers = { ...init.headers, ...(ADS_TOKEN && { Authorization: `Bearer ${ADS_TOKEN}` }) };
    try {
      return await fetch(new URL(path, ADS_URL), { ...init, headers });
    } catch (fault) {
      const { cause, message } = fault as Error;
      throw new CliFault(`${ADS_URL} cannot be reached: ${cause instanceof Error ? cause.message : message}`);
    }
  };
  return {
    pull: async (publisher) => {
      const answer = await call(`/api/export?${new URLSearchParams({ publisher, format: 'yaml' }).toString()}`, { headers: {} });
      if (!answer.ok) throw await faultOf(answer);
      return answer.text();
    },
    apply: async ({ lines, placeOf }, { publisher, prune, isDryRun, ifState, note }) => {
      const query = new URLSearchParams({
        ...(publisher !== undefined && { publisher }),
        ...{ dry_run: String(isDryRun), prune: String(prune === true) },
      });
      const headers = {
        'Content-Type': 'application/x-ndjson',
        ...(ifState !== undefined && { 'If-Match': ifState }),
        ...(note !== undefined && { 'Change-Note': encodeURIComponent(note) }),
      };
      const answer = await call(`/api/apply?${query.toString()}`, { method: 'POST', headers, body: lines.join('\n') });
      if (!answer.ok) throw await faultOf(answer, placeOf);
      return (await answer.json()) as Applied;
    },
    storedFiles: async () => {
      const paths = new Map<string, string>();
      for (let offset = 0; ; offset += FILES_A_PAGE) {
        const answer = await call(`/api/assets?limit=${FILES_A_PAGE}&offset=${offset}`, { headers: {} });
        if (!answer.ok) throw await faultOf(answer);
        const page = (await answer.json()) as readonly { readonly sha256: string; readonly url: string }[];
        for (const { sha256, url } of page) paths.set(sha256, pathOf(url));
        if (page.length < FILES_A_PAGE) return paths;
      }
    },
    store: async ({ name, bytes }, publisher) => {
      const query = new URLSearchParams({ name: name.slice(0, 256), ...(publisher !== null && { publisher_id: String(publisher) }) });
      const headers = { 'Content-Type': 'application/octet-stream' };
      const answer = await call(`/api/assets?${query.toString()}`, { method: 'PUT', headers, body: new Uint8Array(bytes) });
      if (!answer.ok) throw new CliFault(`${name} cannot be stored: ${(await faultOf(answer)).message}`);
      return pathOf(((await answer.json()) as { readonly url: string }).url);
    },
    keepHistory: async (publisher, source, days) => {
      let kept = 0;
      for (let at = 0; at < days.length; at += DAYS_A_CALL) {
        const body = JSON.stringify({ publisher_id: publisher, source, days: days.slice(at, at + DAYS_A_CALL) });
        const answer = await call('/api/imported_history', { method: 'POST', headers: { 'Content-Type': 'application/json' }, body });
        if (!answer.ok) throw new CliFault(`The history cannot be kept: ${(await faultOf(answer)).message}`);
        kept += ((await answer.json()) as { readonly kept: number }).kept;
      }
      return kept;
    },
  };
};

const faultOf = async (answer: Response, placeOf = (pointer: string): string => pointer): Promise<CliFault> => {
  const text = await answer.text();
  let problem: ProblemAnswer = {};
  try {
    problem = JSON.parse(text) as ProblemAnswer;
  } catch {
    problem = { detail: `${answer.status} ${text.slice(0, 200)}` };
  }
  const { detail, title, errors = [] } = problem;
  const said = detail ?? title ?? String(answer.status);
  return new CliFault([said, ...errors.map((error) => `${placeOf(error.pointer)} ${error.detail}`)].join('\n'));
};
