import type { RequestHandler } from 'express';
import { ASSET_FOLDER } from '../../catalog/model/asset-rules.ts';
import { notFound } from '../problems/error-handler.ts';

/** The page in which a creative of that origin runs. */
const FRAME_PAGE = '/static/sdk/frame.html';

/**
 * The creative origin serves the frame of creatives and uploaded files, and nothing else: scripts of
 * creatives are on that origin, and could otherwise read the other pages of this service.
 */
export const creativeHost = (creativeOrigin: string): RequestHandler => {
  const { host } = new URL(creativeOrigin);
  return (req, res, next) =>
    req.headers.host === host && req.path !== FRAME_PAGE && !req.path.startsWith(ASSET_FOLDER) ? notFound(req, res, next) : next();
};
