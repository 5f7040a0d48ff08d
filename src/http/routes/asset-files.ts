import type { Request, RequestHandler, Response } from 'express';
import { LRUCache } from 'lru-cache';
import { decodedUri } from '../../base/parse-url.ts';
import { PART_BYTES, type AssetPart } from '../../uploads/asset-store.ts';
import { notFound } from '../problems/error-handler.ts';
import { problem, sendProblem } from '../problems/problem.ts';

export interface AssetFilesOptions {
  /** Reads a part of PART_BYTES of a file, by its path below /static/assets/; rejects when Postgres is away. */
  readonly readPart: (path: string, part: number) => Promise<AssetPart | undefined>;
  readonly onFailure: (fault: Error) => void;
}

/** Parts of files that this replica keeps; the least recently asked for are evicted first. */
const MAX_KEPT_BYTES = 32 * 1024 * 1024;
/** Reads that may wait for Postgres; further ones are refused. */
const MAX_READS = 32;

/** `<sha256>.png`, or a file in the folder of an HTML5 ad. */
const PATH = /^([0-9a-f]{64})(?:\.[a-z0-9]+|\/[^\0]+)$/;

/** The name of a file contains the hash of its content. */
const IMMUTABLE = 'public, max-age=31536000, immutable';

/**
 * An opened drawing runs nothing and loads nothing; in an `img` element the browser allows neither. A
 * video that is opened by itself plays.
 */
const FILE_POLICY = "default-src 'none'; style-src 'unsafe-inline'; img-src data:; media-src 'self'; sandbox";
/**
 * On an opaque origin whatever serves it: the scripts of an ad reach neither the page, nor the
 * trafficking tool, nor each other's storage.
 */
const HTML5_POLICY = 'sandbox allow-scripts allow-popups allow-popups-to-escape-sandbox';

/** Bytes of a file, both included. */
interface Range {
  readonly start: number;
  readonly end: number;
}

/**
 * GET /static/assets/…: uploaded files, from memory or from Postgres, for pages of every origin, whole or
 * in ranges (RFC 9110, section 14), as players ask for videos. The frames of HTML5 ads have the origin
 * null, so their own files need CORS, too.
 */
export const assetFilesRoute = ({ readPart, onFailure }: AssetFilesOptions): RequestHandler => {
  const kept = new LRUCache<string, AssetPart>({ maxSize: MAX_KEPT_BYTES, sizeCalculation: ({ content }) => content.length + 1_000 });
  const reading = new Map<string, Promise<AssetPart | undefined>>();

  /** Requests for one part share one read. */
  const partOf = (path: string, part: number): Promise<AssetPart | undefined> | AssetPart => {
    const name = `${part}/${path}`;
    const known = kept.get(name) ?? reading.get(name);
    if (known) return known;
    const started = readPart(path, part)
      .then((read) => {
        if (read) kept.set(name, read);
        return read;
      })
      .finally(() => reading.delete(name));
    reading.set(name, started);
    return started;
  };
  const isBusy = (path: string): boolean => reading.size >= MAX_READS && !kept.has(`0/${path}`) && !reading.has(`0/${path}`);

  /** Part by part, as fast as the client reads. */
  const send = async (res: Response, path: string, { start, end }: Range): Promise<void> => {
    for (let part = Math.floor(start / PART_BYTES); part * PART_BYTES <= end; part++) {
      const read = await partOf(path, part);
      // The client sees that the file is cut off.
      if (!read || res.destroyed) return void res.destroy();
      const first = part * PART_BYTES;
      const isLast = first + PART_BYTES > end;
      const bytes = read.content.subarray(Math.max(0, start - first), end - first + 1);
      if (isLast) return void res.end(bytes);
      if (!res.write(bytes)) await drained(res);
    }
    res.end();
  };

  return async function answerAssetFile(req, res, next) {
    const path = decodedUri(req.path.slice(1)) ?? '';
    const [, sha256] = PATH.exec(path) ?? [];
    if ((req.method !== 'GET' && req.method !== 'HEAD') || sha256 === undefined) return notFound(req, res, next);
    const etag = `"${sha256}"`;
    const headers = {
      'Cache-Control': IMMUTABLE,
      ETag: etag,
      'Accept-Ranges': 'bytes',
      'Access-Control-Allow-Origin': '*',
      'Access-Control-Expose-Headers': 'Accept-Ranges, Content-Length, Content-Range',
      'Cross-Origin-Resource-Policy': 'cross-origin',
      'X-Content-Type-Options': 'nosniff',
    };
    if (isBusy(path)) return sendProblem(res, BUSY, { 'Retry-After': '1' });
    try {
      const file = await partOf(path, 0);
      if (!file) return notFound(req, res, next);
      if (req.headers['if-none-match']?.includes(etag)) return void res.writeHead(304, headers).end();
      const asked = rangeOf(req, etag, file.bytes);
      if (asked === 'unsatisfiable') return void res.writeHead(416, { ...headers, 'Content-Range': `bytes */${file.bytes}` }).end();
      const range = asked ?? { start: 0, end: file.bytes - 1 };
      res.writeHead(asked ? 206 : 200, {
        ...headers,
        ...(asked && { 'Content-Range': `bytes ${range.start}-${range.end}/${file.bytes}` }),
        'Content-Type': file.type,
        'Content-Length': range.end - range.start + 1,
        'Content-Security-Policy': path.startsWith(`${sha256}/`) ? HTML5_POLICY : FILE_POLICY,
      });
      if (req.method === 'HEAD') return void res.end();
      await send(res, path, range);
    } catch (fault) {
      onFailure(fault as Error);
      if (res.headersSent) return void res.destroy();
      return sendProblem(res, AWAY, { 'Retry-After': '1' });
    }
  };
};

/** The client has read what was sent, or is gone. */
const drained = (res: Response): Promise<void> =>
  new Promise((resolve) => {
    const done = (): void => {
      res.off('drain', done).off('close', done);
      resolve();
    };
    res.on('drain', done).on('close', done);
  });

/** The one range that is asked for; undefined: the whole file, also in place of several ranges or of one that is not well-formed. */
const rangeOf = (req: Request, etag: string, bytes: number): Range | 'unsatisfiable' | undefined => {
  const given = req.headers['if-range'];
  if (req.method !== 'GET' || req.headers.range === undefined || (given !== undefined && given !== etag)) return undefined;
  const ranges = req.range(bytes, { combine: true });
  if (ranges === -1) return 'unsatisfiable';
  if (ranges === undefined || ranges === -2 || ranges.type !== 'bytes' || ranges.length !== 1) return undefined;
  return ranges[0];
};

const BUSY = problem('unavailable', 'Too many files are read at the same time.');
const AWAY = problem('unavailable', 'The file cannot be read.');
