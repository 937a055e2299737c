// A plain proxy: express with http-proxy-middleware, without any checks.
import { Agent } from 'node:http';
import express from 'express';
import { createProxyMiddleware } from 'http-proxy-middleware';

const app = express();
app.disable('x-powered-by').disable('etag');
app.use(
  createProxyMiddleware({
    target: process.env['UPSTREAM'] as string,
    agent: new Agent({ keepAlive: true, maxSockets: 64 }),
  }),
);
app.listen(Number(process.env['PORT']), '127.0.0.1');
