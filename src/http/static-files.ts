import path from 'node:path';
import express, { type RequestHandler } from 'express';

/** The built, versioned copies never change. The SDK under its plain name is on other people's pages: new there within the hour. */
const VERSIONED = /-\d+\.\d+\.\d+[^/]*\.js$/;
const cacheControl = (file: string): string => {
  if (VERSIONED.test(file)) return 'public, max-age=31536000, immutable';
  return file.startsWith(`sdk${path.sep}`) ? 'public, max-age=3600, stale-while-revalidate=86400' : 'public, max-age=300';
};

/**
 * For the demo pages. The frames of creatives inherit it, and they are written with inline styles and scripts, load what their advertisers
 * serve, and may hold frames of their own.
 */
const DEMO_POLICY = [
  "default-src 'self'",
  "script-src 'self' 'unsafe-inline' https:",
  "style-src 'self' 'unsafe-inline' https:",
  "img-src 'self' data: https:",
  "font-src 'self' data: https:",
  "media-src 'self' https:",
  "frame-src 'self' https:",
  "object-src 'none'",
  "base-uri 'self'",
  "form-action 'self'",
  "frame-ancestors 'self'",
].join('; ');

export interface StaticFilesOptions {
  /** Absolute path of public/. */
  readonly root: string;
  /** Text of /static/demo/demo-config.js: whose ads the demo pages ask for; undefined: there is no demo publisher. */
  readonly demoConfig: (() => string) | undefined;
  /** False: the trafficking page is not there. */
  readonly admin: boolean;
}

/** Pages and scripts. The SDK is loaded by other people's pages, so scripts may be used from any origin. */
export const staticFiles = ({ root, demoConfig, admin }: StaticFilesOptions): RequestHandler => {
  const router = express.Router();
  router.use((_req, res, next) => {
    res.set({ 'X-Content-Type-Options': 'nosniff', 'Referrer-Policy': 'strict-origin-when-cross-origin' });
    next();
  });
  if (!admin) router.use(['/admin.html', '/admin'], (_req, _res, next) => next('router'));
  if (demoConfig) {
    router.get('/demo/demo-config.js', (_req, res) => {
      res.type('text/javascript').set('Cache-Control', 'no-store').send(demoConfig());
    });
  }
  router.use('/sdk', (_req, res, next) => {
    res.set({ 'Access-Control-Allow-Origin': '*', 'Cross-Origin-Resource-Policy': 'cross-origin' });
    next();
  });
  router.use('/demo', (_req, res, next) => {
    res.set('Content-Security-Policy', DEMO_POLICY);
    next();
  });
  router.use(
    express.static(path.resolve(root), {
      index: 'index.html',
      redirect: true,
      setHeaders: (res, file) => {
        res.setHeader('Cache-Control', cacheControl(path.relative(root, file)));
      },
    }),
  );
  return router;
};
