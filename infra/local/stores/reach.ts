import { connect } from 'node:net';

const timeoutMs = 5_000;
const defaultPorts: Record<string, number> = {
  'postgres:': 5432,
  'postgresql:': 5432,
  'redis:': 6379,
  'rediss:': 6379,
  'amqp:': 5672,
  'amqps:': 5671,
};

/** The reason why a server is unreachable; undefined if it accepts connections. */
export function unreachable(url: URL): Promise<string | undefined> {
  const port = Number(url.port) || defaultPorts[url.protocol];
  // A Unix socket (postgresql:///name?host=/run) is not checked.
  if (!url.hostname || !port) return Promise.resolve(undefined);
  return new Promise((resolve) => {
    const socket = connect({ host: url.hostname.replace(/^\[|\]$/g, ''), port });
    const finish = (problem?: string) => {
      socket.destroy();
      resolve(problem);
    };
    socket.setTimeout(timeoutMs, () => finish(`no response within ${timeoutMs / 1000} s`));
    socket.once('error', (error: NodeJS.ErrnoException) => finish(describeError(error)));
    socket.once('connect', () => finish());
  });
}

function describeError({ code, message }: NodeJS.ErrnoException): string {
  if (code === 'ECONNREFUSED') return 'connection refused';
  if (code === 'ENOTFOUND' || code === 'EAI_AGAIN') return 'unknown host';
  return message || String(code);
}
