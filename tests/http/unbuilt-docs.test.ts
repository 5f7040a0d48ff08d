import { mkdirSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import express from 'express';
import request from 'supertest';
import { staticFiles } from '../../src/http/routes/static-files.ts';
import { temporaryFolder } from '../setup/temporary-folder.ts';

test('the documents of a checkout that has not built them are a page that says so, and no dead link, until they are there', async () => {
  const root = temporaryFolder();
  const app = express().use('/static', staticFiles({ root, demoConfig: undefined, admin: false }));
  for (const page of ['/static/docs/', '/static/docs/concepts/decision.html']) {
    const { status, text, headers } = await request(app).get(page);
    expect([page, status, headers['content-type'], headers['cache-control']]).toEqual([page, 200, 'text/html; charset=utf-8', 'no-store']);
    expect(text).toContain('npm run docs');
  }
  expect((await request(app).get('/static/docs/assets/app.js')).status).toBe(404);
  mkdirSync(path.join(root, 'docs'));
  writeFileSync(path.join(root, 'docs', 'index.html'), 'The documents');
  expect((await request(app).get('/static/docs/')).text).toBe('The documents');
  expect((await request(app).get('/static/docs/missing.html')).status).toBe(404);
});
