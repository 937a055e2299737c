import { fork } from 'node:child_process';
import { once } from 'node:events';
import { join } from 'node:path';
import { createDeadlines } from '@tandem/gateway/deadlines';
import { createLinks } from '@tandem/gateway/links';
import { type Dispatcher, Pool } from 'undici';
import { formatNumber, median } from './numbers.ts';
import { sampleReference } from './reference.ts';
import type { Row } from './results.ts';

const atOnce = 32;
const batch = 1_000;
const rounds = 80;
const warmRounds = 20;
const timeoutMs = 10_000;
const responseMax = 16 * 1024 * 1024;

const path = '/v1/leads/1000001';
// As many bytes as the signed caller and the other headers of the gateway.
const headers = {
  'x-ctx': 'x'.repeat(400),
  'x-request-id': '0198c7a2-6f0c-7c3e-9a55-0d2b6f6c1c11',
  accept: 'application/json',
};

const names = ['own', 'undici'] as const;

type Times = Record<(typeof names)[number], number>;
type Client = () => Promise<{ status: number; body: Buffer }>;

/**
 * Compares the gateway's connections to services with undici's Pool: processor time of the client per request, in
 * batches of both in turns, in one process against one server in another process.
 */
export async function measureConnections(): Promise<Row[]> {
  const server = fork(join(import.meta.dirname, 'peers', 'loopback.ts'));
  try {
    const [port] = (await once(server, 'message')) as [number];
    const origin = new URL(`http://127.0.0.1:${port}`);
    const deadlines = createDeadlines(100);
    const links = createLinks({ origin, address: '127.0.0.1' }, { max: atOnce, responseMax, deadlines });
    const pool = new Pool(origin, { connections: atOnce, headersTimeout: timeoutMs, bodyTimeout: timeoutMs });
    const clients = {
      own: () => links.send({ method: 'GET', path, headers, body: undefined, timeoutMs, repeatable: true }),
      undici: () => dispatch(pool),
    };
    const times: Times[] = [];
    for (let round = 0; round < warmRounds + rounds; round++) {
      const time = { own: 0, undici: 0 };
      // Each is the first of a round equally often.
      for (const name of round % 2 ? names : names.toReversed()) time[name] = await microseconds(clients[name]);
      if (round >= warmRounds) times.push(time);
      if (round % 10 === 0) sampleReference();
    }
    links.close();
    deadlines.close();
    await pool.close();
    return [asRow(times)];
  } finally {
    server.kill();
  }
}

/** Processor time per request of one batch. */
async function microseconds(send: Client): Promise<number> {
  const before = process.cpuUsage();
  let sent = 0;
  const sendInTurn = async () => {
    while (sent++ < batch) {
      const { status, body } = await send();
      if (status !== 200 || !body.length) throw new Error(`The server answered ${status}`);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, sendInTurn));
  const { user, system } = process.cpuUsage(before);
  return (user + system) / batch;
}

/** Sends a request with undici's lowest interface, and collects the response. */
function dispatch(pool: Pool): Promise<{ status: number; body: Buffer }> {
  return new Promise((resolve, reject) => {
    const chunks: Buffer[] = [];
    let status = 0;
    const handler: Dispatcher.DispatchHandler = {
      onRequestStart() {},
      onResponseStart(_, statusCode) {
        status = statusCode;
      },
      onResponseData(_, chunk) {
        chunks.push(chunk);
      },
      onResponseEnd: () =>
        resolve({ status, body: chunks.length === 1 ? (chunks[0] as Buffer) : Buffer.concat(chunks) }),
      onResponseError: (_, error) => reject(error),
    };
    pool.dispatch({ method: 'GET', path, headers }, handler);
  });
}

function asRow(times: readonly Times[]): Row {
  const own = median(times.map((round) => round.own));
  const undici = median(times.map((round) => round.undici));
  const ratio = median(times.map((round) => round.undici / round.own));
  return {
    id: 'connections',
    what: "Processor time of a request: undici's Pool against the gateway's connections",
    goal: '',
    reached: `${formatNumber(ratio)} ×`,
    detail: `${formatNumber(undici)} against ${formatNumber(own)} µs, medians of ${rounds} rounds of ${formatNumber(batch)} requests, ${atOnce} at once`,
  };
}
