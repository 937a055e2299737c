// A server that answers every request with the same lead, for measuring clients. Sends its port to the parent process.
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

const lead = {
  id: '1000001',
  email: 'ada@example.com',
  firstName: 'Ada',
  lastName: 'Lovelace',
  phone: '+441234567890',
  source: 'web',
  status: 'qualified',
  score: 42,
  assignedTo: '7',
  tags: ['vip'],
  customFields: { industry: 'engineering', seats: 12 },
  createdAt: '2026-01-02T03:04:05.678Z',
  updatedAt: '2026-01-02T03:04:05.678Z',
};
const body = JSON.stringify({ success: true, status: 200, message: 'Lead retrieved', data: lead });

// The headers of a service's reply.
const headers = {
  'Content-Type': 'application/json; charset=utf-8',
  'Content-Length': Buffer.byteLength(body),
  'x-id-paths': '0123456789abcdef',
  ETag: '"3-0123456789abcdef"',
  'x-ctx-tenant': '1',
};

const server = createServer((_, response) => {
  response.writeHead(200, headers);
  response.end(body);
});
server.keepAliveTimeout = 60_000;
server.listen(0, '127.0.0.1', () => process.send?.((server.address() as AddressInfo).port));
process.on('disconnect', () => process.exit());
