import { existsSync } from 'node:fs';
import path from 'node:path';
import type { RequestHandler } from 'express';

const PAGE = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta http-equiv="refresh" content="5">
<title>Documents</title>
<style>body { font: 1rem/1.5 system-ui, sans-serif; max-width: 40rem; margin: 4rem auto; padding: 0 1rem }</style>
<h1>The documents are not built yet</h1>
<p><code>npm start</code> builds them once, in the background, and <code>npm run docs</code> at once. This page shows them as soon as
they are there. Until then they can be read as Markdown, in the folder <code>docs</code>.</p>
</html>
`;

/** Answers for every page of the documents while a checkout has not built them. An image always has them. */
export const unbuiltDocs = (root: string): RequestHandler => {
  const start = path.join(root, 'docs', 'index.html');
  return (req, res, next) => {
    if (!['GET', 'HEAD'].includes(req.method) || !/(\/|\.html)$/.test(req.path) || existsSync(start)) next();
    else res.type('html').set('Cache-Control', 'no-store').send(PAGE);
  };
};
