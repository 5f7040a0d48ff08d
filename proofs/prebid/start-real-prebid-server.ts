import { execFile } from 'node:child_process';
import { cp, mkdir, readFile, writeFile } from 'node:fs/promises';
import path from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { freePort } from '../../src/embedded/free-port.ts';
import { startServer, type Server } from '../../testkit/start-process.ts';

const MODULE = 'github.com/prebid/prebid-server/v4';
const VERSION = 'v4.6.0';
const PUBLISHED_ALIAS = fileURLToPath(new URL('../../sdk/examples/prebid-server/static/bidder-info/direct.yaml', import.meta.url));
/** The tables of bidders have several megabytes; the first build takes minutes. */
const MAX_OUTPUT = 64 * 1024 * 1024;

const go = async (folder: string, ...args: readonly string[]): Promise<string> => {
  const { stdout } = await promisify(execFile)('go', args, { cwd: folder, maxBuffer: MAX_OUTPUT });
  return stdout;
};

/** The real Prebid Server for Go, built from its module. @returns the program and the folder of its sources. @throws where there is no Go */
const buildPrebidServer = async (folder: string): Promise<{ readonly program: string; readonly sources: string }> => {
  const { Dir } = JSON.parse(await go(folder, 'mod', 'download', '-json', `${MODULE}@${VERSION}`)) as { readonly Dir: string };
  const program = path.join(folder, 'prebid-server');
  await go(Dir, 'build', '-o', program, '.');
  return { program, sources: Dir };
};

export interface RealPrebidServerOptions {
  /** An empty folder. */
  readonly folder: string;
  /** The auction endpoint of this service that the bidder `direct` asks. */
  readonly endpoint: string;
  /** Where the bidder `exchange` asks: the demand behind the server. */
  readonly exchange: string;
  /** A file of rates as Prebid publishes it. */
  readonly ratesUrl: string;
  /** Where it puts the VAST of bids. */
  readonly cacheUrl: string;
  /** Stored imps by their ids. */
  readonly stored: Readonly<Record<string, object>>;
}

/** Starts Prebid Server with our published bidder file, which has only its endpoint changed, and with another bidder that needs no account. */
export const startRealPrebidServer = async ({
  folder,
  endpoint,
  exchange,
  ratesUrl,
  cacheUrl,
  stored,
}: RealPrebidServerOptions): Promise<Server & { readonly version: string }> => {
  const { program, sources } = await buildPrebidServer(folder);
  const home = path.join(folder, 'home');
  const imps = path.join(home, 'stored', 'stored_requests', 'data', 'by_id', 'stored_imps');
  await mkdir(imps, { recursive: true });
  for (const [id, imp] of Object.entries(stored)) await writeFile(path.join(imps, `${id}.json`), JSON.stringify(imp));
  await cp(path.join(sources, 'static'), path.join(home, 'static'), { recursive: true });
  await promisify(execFile)('chmod', ['-R', 'u+w', home]);
  const published = await readFile(PUBLISHED_ALIAS, 'utf8');
  const bidders = path.join(home, 'static', 'bidder-info');
  await writeFile(path.join(bidders, 'direct.yaml'), published.replace(/^endpoint: .*$/m, `endpoint: ${endpoint}`));
  await writeFile(path.join(bidders, 'exchange.yaml'), `aliasOf: teqblaze\nendpoint: ${exchange}\n`);
  const [port, adminPort] = [await freePort(), await freePort()];
  const { host: cacheHost, pathname: cachePath } = new URL(cacheUrl);
  const settings = {
    ...{ host: '127.0.0.1', port, admin_port: adminPort, external_url: `http://127.0.0.1:${port}`, status_response: 'ok' },
    ...{ gdpr: { enabled: false, default_value: '0' }, ccpa: { enforce: false } },
    cache: { scheme: 'http', host: cacheHost, query: 'uuid=%PBS_CACHE_UUID%' },
    external_cache: { scheme: 'http', host: cacheHost, path: cachePath },
    compression: { request: { enable_gzip: true } },
    currency_converter: { fetch_url: ratesUrl, fetch_interval_seconds: 1800 },
    stored_requests: { filesystem: { enabled: true, directorypath: path.join(home, 'stored', 'stored_requests', 'data', 'by_id') } },
  };
  // JSON is YAML.
  await writeFile(path.join(home, 'pbs.yaml'), JSON.stringify(settings));
  // It asks for the list of vendors at its start, and needs none here: no proxy answers, and nothing leaves this machine.
  const env = { HTTPS_PROXY: 'http://127.0.0.1:9' };
  const server = await startServer({ name: 'prebid-server', command: [program], env, port, cwd: home, readyPath: '/status' });
  return { ...server, version: VERSION };
};
