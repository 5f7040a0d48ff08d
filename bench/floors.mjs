/**
 * What the service is compared with, each as plain as it is usually written: node bench/floors.mjs <which>, PORT and REDIS_URL from the
 * environment.
 *
 *   node-echo     node:http, JSON in and out
 *   express-echo  Express as it comes, express.json in, res.json out
 *   express-gif   Express as it comes, an empty GIF
 *   redis-get     node:http, one GET of Redis a request
 */
import { createServer } from 'node:http';
import express from 'express';
import { Redis } from 'ioredis';

const GIF = Buffer.from('R0lGODlhAQABAIAAAAAAAP///yH5BAEAAAAALAAAAAABAAEAAAIBRAA7', 'base64');

const readJson = (req, use) => {
  const chunks = [];
  req.on('data', (chunk) => chunks.push(chunk));
  req.on('end', () => use(JSON.parse(Buffer.concat(chunks).toString('utf8'))));
};

const answer = (res, value) => {
  const text = JSON.stringify(value);
  res.writeHead(200, { 'Content-Type': 'application/json; charset=utf-8', 'Content-Length': Buffer.byteLength(text) }).end(text);
};

const FLOORS = {
  'node-echo': () => createServer((req, res) => readJson(req, (body) => answer(res, body))),
  'express-echo': () => {
    const app = express();
    app.use(express.json());
    app.post('/ad', (req, res) => res.json(req.body));
    return createServer(app);
  },
  'express-gif': () => {
    const app = express();
    app.get('/impression', (req, res) => res.type('gif').send(GIF));
    return createServer(app);
  },
  'redis-get': () => {
    const redis = new Redis(process.env.REDIS_URL);
    redis.set('floor', 'x'.repeat(230));
    return createServer((req, res) => readJson(req, (body) => redis.get('floor').then((value) => answer(res, { id: body.id, value }))));
  },
};

const floor = FLOORS[process.argv[2]];
if (floor === undefined) throw new Error(`Which floor? ${Object.keys(FLOORS).join(', ')}`);
const server = floor();
server.keepAliveTimeout = 75_000;
server.listen(Number(process.env.PORT), '127.0.0.1');
process.on('SIGTERM', () => process.exit(0));
