import { createRequire } from 'node:module';
import path from 'node:path';
import express, { type RequestHandler } from 'express';

/** The built, versioned copies never change. The SDK under its plain name is on other people's pages: new there within the hour. */
const VERSIONED = /-\d+\.\d+\.\d+[^/]*\.js$/;
const cacheControl = (file: string): string => {
  if (file.startsWith('admin')) return 'no-cache';
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

/**
 * The trafficking page loads nothing from elsewhere, runs no inline script, and hands no string to the parser except through lit-html's own policy,
 * so that what somebody typed into a name stays text. Creatives, and what they load, live in the preview's frame.
 */
const ADMIN_POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' data:",
  "connect-src 'self'",
  "frame-src 'self'",
  "base-uri 'none'",
  "form-action 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  'trusted-types lit-html',
].join('; ');

/** A previewed creative may do all that it could on a page, with an origin of nobody's: it reaches neither the page around it nor its API. */
const PREVIEW_POLICY = "sandbox allow-scripts allow-popups allow-popups-to-escape-sandbox; frame-ancestors 'self'";

const POLICIES: Readonly<Record<string, string>> = { 'admin.html': ADMIN_POLICY, [path.join('admin', 'preview.html')]: PREVIEW_POLICY };

const ADMIN_PATHS = /^\/(admin(\.html)?|docs)(\/|$)/i;

/** As the files are looked up: percent signs decoded, doubled slashes and dots gone. '' for what cannot be decoded, which no file has. */
const plainPath = (requested: string): string => {
  try {
    return path.posix.normalize(decodeURIComponent(requested));
  } catch {
    return '';
  }
};

export interface StaticFilesOptions {
  /** Absolute path of public/. */
  readonly root: string;
  /** Text of /static/demo/demo-config.js: whose ads the demo pages ask for; undefined: there is no demo publisher. */
  readonly demoConfig: (() => string) | undefined;
  /** False: the trafficking page and the page of the API are not there. */
  readonly admin: boolean;
}

/** Pages and scripts. The SDK is loaded by other people's pages, so scripts may be used from any origin. */
export const staticFiles = ({ root, demoConfig, admin }: StaticFilesOptions): RequestHandler => {
  const router = express.Router();
  router.use((_req, res, next) => {
    res.set({ 'X-Content-Type-Options': 'nosniff', 'Referrer-Policy': 'strict-origin-when-cross-origin' });
    next();
  });
  if (admin) router.use('/docs', apiPage(root));
  else router.use((req, _res, next) => (ADMIN_PATHS.test(plainPath(req.path)) ? next('router') : next()));
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
      // By the file that is sent, so that no other spelling of its path comes without them.
      setHeaders: (res, file) => {
        const name = path.relative(path.resolve(root), file);
        const policy = POLICIES[name];
        if (policy) res.setHeader('Content-Security-Policy', policy);
        res.setHeader('Cache-Control', cacheControl(name));
      },
    }),
  );
  return router;
};

/** The page of the API: our own document and initializer, the viewer's files straight from its package. It styles itself inline and draws its icons from data. */
const apiPage = (root: string): RequestHandler => {
  const viewer = path.dirname(createRequire(path.join(root, 'index.js')).resolve('swagger-ui-dist/package.json'));
  const router = express.Router();
  router.use((_req, res, next) => {
    res.set(
      'Content-Security-Policy',
      "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; frame-ancestors 'none'",
    );
    next();
  });
  router.get(['/swagger-ui.css', '/swagger-ui-bundle.js'], (req, res) => {
    res.sendFile(path.basename(req.path), { root: viewer, maxAge: 86_400_000 });
  });
  return router;
};
