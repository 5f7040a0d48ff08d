import { createRequire } from 'node:module';
import path from 'node:path';
import express, { type RequestHandler } from 'express';
import helmet from 'helmet';
import { decodedUri } from '../../base/parse-url.ts';
import { MS_PER_DAY } from '../../base/utc-day.ts';
import { unbuiltDocs } from './unbuilt-docs.ts';

/**
 * The built, versioned copies never change. Publishers' pages load the SDK under its plain name, so
 * that copy is updated there within an hour.
 */
const VERSIONED = /-\d+\.\d+\.\d+[^/]*\.js$/;
const cacheControl = (file: string): string => {
  if (file.startsWith('admin') || file === 'sign-in.html') return 'no-cache';
  if (VERSIONED.test(file)) return 'public, max-age=31536000, immutable';
  return file.startsWith(`sdk${path.sep}`) ? 'public, max-age=3600, stale-while-revalidate=86400' : 'public, max-age=300';
};

const { contentSecurityPolicy } = helmet;
const policy = (directives: Readonly<Record<string, readonly string[]>>) =>
  contentSecurityPolicy({
    useDefaults: false,
    directives: { defaultSrc: contentSecurityPolicy.dangerouslyDisableDefaultSrc, ...directives },
  });

/**
 * The policy of the demo pages. The frames of creatives inherit it: creatives use inline styles and
 * scripts, load their advertisers' resources, and may contain frames.
 */
const DEMO_POLICY = policy({
  defaultSrc: ["'self'"],
  scriptSrc: ["'self'", "'unsafe-inline'", 'https:'],
  styleSrc: ["'self'", "'unsafe-inline'", 'https:'],
  imgSrc: ["'self'", 'data:', 'https:'],
  fontSrc: ["'self'", 'data:', 'https:'],
  mediaSrc: ["'self'", 'https:'],
  frameSrc: ["'self'", 'https:'],
  objectSrc: ["'none'"],
  baseUri: ["'self'"],
  formAction: ["'self'"],
  frameAncestors: ["'self'"],
});

/**
 * The trafficking page loads nothing from other origins, runs no inline script, and passes no
 * string to the HTML parser except through lit-html's policy, so that user input stays text.
 * Creatives and their resources are confined to the frame of the preview.
 */
const ADMIN_POLICY = policy({
  defaultSrc: ["'none'"],
  scriptSrc: ["'self'"],
  styleSrc: ["'self'"],
  imgSrc: ["'self'", 'data:'],
  connectSrc: ["'self'"],
  frameSrc: ["'self'"],
  manifestSrc: ["'self'"],
  baseUri: ["'none'"],
  formAction: ["'none'"],
  frameAncestors: ["'none'"],
  requireTrustedTypesFor: ["'script'"],
  trustedTypes: ['lit-html'],
});

/**
 * A previewed creative has all capabilities of a page, but in an opaque origin: it can access
 * neither the surrounding page nor the API.
 */
const PREVIEW_POLICY = policy({
  sandbox: ['allow-scripts', 'allow-popups', 'allow-popups-to-escape-sandbox'],
  frameAncestors: ["'self'"],
});

/**
 * The document around a page of a publisher, on which a preview is shown: that page may be on any site, and the pages that show the
 * preview frame this document alone.
 */
const LIVE_PAGE_POLICY = policy({
  defaultSrc: ["'none'"],
  scriptSrc: ["'self'"],
  frameSrc: ['https:', 'http:'],
  baseUri: ["'none'"],
  formAction: ["'none'"],
  frameAncestors: ["'self'"],
  requireTrustedTypesFor: ["'script'"],
});

/** The API viewer styles itself inline and draws its icons from data URLs. */
const API_PAGE_POLICY = policy({
  defaultSrc: ["'self'"],
  styleSrc: ["'self'", "'unsafe-inline'"],
  imgSrc: ["'self'", 'data:'],
  frameAncestors: ["'none'"],
});

/** A read-only report of an advertiser, and proofs of its ads: text from the API, the logos of publishers, and creatives in the frame of the preview. */
const LINK_PAGE_POLICY = policy({
  defaultSrc: ["'none'"],
  scriptSrc: ["'self'"],
  styleSrc: ["'self'"],
  imgSrc: ["'self'", 'data:', 'https:'],
  frameSrc: ["'self'"],
  connectSrc: ["'self'"],
  baseUri: ["'none'"],
  formAction: ["'none'"],
  frameAncestors: ["'none'"],
  requireTrustedTypesFor: ["'script'"],
});

/** The documents are built with inline scripts: the colour scheme, and the list of pages. */
const DOCS_POLICY = policy({
  defaultSrc: ["'none'"],
  scriptSrc: ["'self'", "'unsafe-inline'"],
  styleSrc: ["'self'", "'unsafe-inline'"],
  imgSrc: ["'self'", 'data:'],
  fontSrc: ["'self'"],
  connectSrc: ["'self'"],
  workerSrc: ["'self'", 'blob:'],
  baseUri: ["'none'"],
  formAction: ["'none'"],
  frameAncestors: ["'none'"],
});

const POLICY_OF_FILE = new Map([
  ['admin.html', ADMIN_POLICY],
  ['sign-in.html', ADMIN_POLICY],
  [path.join('admin', 'preview.html'), PREVIEW_POLICY],
  [path.join('admin', 'live-page.html'), LIVE_PAGE_POLICY],
  [path.join('report', 'index.html'), LINK_PAGE_POLICY],
  [path.join('proof', 'index.html'), LINK_PAGE_POLICY],
]);

const ADMIN_PATHS = /^\/(admin(\.html|\.webmanifest|-icon\.svg)?|sign-in\.html|api|report|proof)(\/|$)/i;

/**
 * The path by which files are looked up: percent-decoded, without doubled slashes and dot segments.
 * '' for a path that cannot be decoded.
 */
const plainPath = (requested: string): string => {
  const decoded = decodedUri(requested);
  return decoded === undefined ? '' : path.posix.normalize(decoded);
};

export interface StaticFilesOptions {
  /** Absolute path of public/. */
  readonly root: string;
  /**
   * Text of /static/demo/demo-config.js, the publisher of the demo pages; undefined: there is no
   * demo publisher.
   */
  readonly demoConfig: (() => string) | undefined;
  /** False: the trafficking page and the page of the API are not served. */
  readonly admin: boolean;
}

/** Pages and scripts. Publishers' pages load the SDK, so it may be used from any origin. */
export const staticFiles = ({ root, demoConfig, admin }: StaticFilesOptions): RequestHandler => {
  const router = express.Router();
  router.use(helmet.xContentTypeOptions(), helmet.referrerPolicy({ policy: 'strict-origin-when-cross-origin' }));
  if (admin) router.use('/api', apiPage(root));
  else router.use((req, _res, next) => (ADMIN_PATHS.test(plainPath(req.path)) ? next('router') : next()));
  if (demoConfig) {
    router.get('/demo/demo-config.js', (_req, res) => {
      res.type('text/javascript').set('Cache-Control', 'no-store').send(demoConfig());
    });
  }
  router.use('/sdk', helmet.crossOriginResourcePolicy({ policy: 'cross-origin' }), (_req, res, next) => {
    res.set('Access-Control-Allow-Origin', '*');
    next();
  });
  router.use('/demo', DEMO_POLICY);
  router.use('/docs', DOCS_POLICY, unbuiltDocs(path.resolve(root)));
  router.use(
    express.static(path.resolve(root), {
      index: 'index.html',
      redirect: true,
      // Selected by the file that is sent, so that another spelling of its path cannot bypass the
      // headers.
      setHeaders: (res, file) => {
        if (file.endsWith('.d.ts')) res.setHeader('Content-Type', 'application/typescript; charset=utf-8');
        const name = path.relative(path.resolve(root), file);
        POLICY_OF_FILE.get(name)?.(res.req, res, () => undefined);
        res.setHeader('Cache-Control', cacheControl(name));
      },
    }),
  );
  return router;
};

/**
 * The page of the API: our own document and initializer; the viewer's files come straight from its
 * package.
 */
const apiPage = (root: string): RequestHandler => {
  const viewer = path.dirname(createRequire(path.join(root, 'index.js')).resolve('swagger-ui-dist/package.json'));
  const router = express.Router();
  router.use(API_PAGE_POLICY);
  router.get(['/swagger-ui.css', '/swagger-ui-bundle.js'], (req, res) => {
    res.sendFile(path.basename(req.path), { root: viewer, maxAge: MS_PER_DAY });
  });
  return router;
};
