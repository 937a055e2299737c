import { connect } from 'node:net';

const answerWithinMs = 5_000;
const usualPorts: Record<string, number> = {
  'postgres:': 5432,
  'postgresql:': 5432,
  'redis:': 6379,
  'rediss:': 6379,
  'amqp:': 5672,
  'amqps:': 5671,
};

/** Why nobody can be connected to at an address; undefined when somebody listens there. */
export function unreachable(url: URL): Promise<string | undefined> {
  const port = Number(url.port) || usualPorts[url.protocol];
  // A server behind a Unix socket (postgresql:///name?host=/run) is left to its client.
  if (!url.hostname || !port) return Promise.resolve(undefined);
  return new Promise((resolve) => {
    const socket = connect({ host: url.hostname.replace(/^\[|\]$/g, ''), port });
    const finish = (problem?: string) => {
      socket.destroy();
      resolve(problem);
    };
    socket.setTimeout(answerWithinMs, () => finish(`no answer within ${answerWithinMs / 1000} s`));
    socket.once('error', (error: NodeJS.ErrnoException) => finish(said(error)));
    socket.once('connect', () => finish());
  });
}

function said({ code, message }: NodeJS.ErrnoException): string {
  if (code === 'ECONNREFUSED') return 'nothing listens there';
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') return 'there is no host of this name';
  return message || String(code);
}
