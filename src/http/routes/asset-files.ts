import type { RequestHandler } from 'express';
import { LRUCache } from 'lru-cache';
import type { AssetFile } from '../../uploads/asset.ts';
import { notFound } from '../problems/error-handler.ts';
import { problem, sendProblem } from '../problems/problem.ts';

export interface AssetFilesOptions {
  /** Reads a file by its path below /static/assets/; rejects when Postgres is away. */
  readonly read: (path: string) => Promise<AssetFile | undefined>;
  readonly onFailure: (fault: Error) => void;
}

/** Files that this replica keeps; the least recently asked for are evicted first. */
const MAX_KEPT_BYTES = 32 * 1024 * 1024;
/** Reads that may wait for Postgres; further ones are refused. */
const MAX_READS = 32;

/** `<sha256>.png`, or a file in the folder of an HTML5 ad. */
const PATH = /^([0-9a-f]{64})(?:\.[a-z0-9]+|\/[^\0]+)$/;

/** The name of a file contains the hash of its content. */
const IMMUTABLE = 'public, max-age=31536000, immutable';

/** An opened drawing runs nothing and loads nothing; in an `img` element the browser allows neither. */
const PICTURE_POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; sandbox";
/**
 * On an opaque origin whatever serves it: the scripts of an ad reach neither the page, nor the
 * trafficking tool, nor each other's storage.
 */
const HTML5_POLICY = 'sandbox allow-scripts allow-popups allow-popups-to-escape-sandbox';

/**
 * GET /static/assets/…: uploaded files, from memory or from Postgres, for pages of every origin. The
 * frames of HTML5 ads have the origin null, so their own files need CORS, too.
 */
export const assetFilesRoute = ({ read, onFailure }: AssetFilesOptions): RequestHandler => {
  const kept = new LRUCache<string, AssetFile>({ maxSize: MAX_KEPT_BYTES, sizeCalculation: ({ content }) => content.length + 1_000 });
  const reading = new Map<string, Promise<AssetFile | undefined>>();

  /** Requests for one file share one read. */
  const readOnce = (path: string): Promise<AssetFile | undefined> => {
    const underWay = reading.get(path);
    if (underWay) return underWay;
    const started = read(path)
      .then((file) => {
        if (file) kept.set(path, file);
        return file;
      })
      .finally(() => reading.delete(path));
    reading.set(path, started);
    return started;
  };

  return async function answerAssetFile(req, res, next) {
    const path = decoded(req.path.slice(1));
    const [, sha256] = PATH.exec(path) ?? [];
    if ((req.method !== 'GET' && req.method !== 'HEAD') || sha256 === undefined) return notFound(req, res, next);
    const etag = `"${sha256}"`;
    const headers = {
      'Cache-Control': IMMUTABLE,
      ETag: etag,
      'Access-Control-Allow-Origin': '*',
      'Cross-Origin-Resource-Policy': 'cross-origin',
      'X-Content-Type-Options': 'nosniff',
    };
    let file = kept.get(path);
    if (!file) {
      if (reading.size >= MAX_READS && !reading.has(path)) return sendProblem(res, BUSY, { 'Retry-After': '1' });
      try {
        file = await readOnce(path);
      } catch (fault) {
        onFailure(fault as Error);
        return sendProblem(res, AWAY, { 'Retry-After': '1' });
      }
    }
    if (!file) return notFound(req, res, next);
    if (req.headers['if-none-match']?.includes(etag)) return void res.writeHead(304, headers).end();
    res.writeHead(200, {
      ...headers,
      'Content-Type': file.type,
      'Content-Length': file.content.length,
      'Content-Security-Policy': path.startsWith(`${sha256}/`) ? HTML5_POLICY : PICTURE_POLICY,
    });
    res.end(req.method === 'HEAD' ? undefined : file.content);
  };
};

const BUSY = problem('unavailable', 'Too many files are read at the same time.');
const AWAY = problem('unavailable', 'The file cannot be read.');

/** '' for a path that cannot be decoded. */
const decoded = (path: string): string => {
  try {
    return decodeURIComponent(path);
  } catch {
    return '';
  }
};
