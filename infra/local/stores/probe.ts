import { connect } from 'node:net';

const timeoutMs = 1_000;

/** Sends a greeting to a port of the loopback address; resolves with the first bytes of the response, or ''. */
export function greet(port: number, greeting: string): Promise<string> {
  return new Promise((resolve) => {
    const socket = connect({ port, host: '127.0.0.1' });
    const finish = (answer: string) => {
      socket.destroy();
      resolve(answer);
    };
    socket.setTimeout(timeoutMs, () => finish(''));
    socket.on('error', () => finish(''));
    socket.on('close', () => resolve(''));
    socket.on('data', (chunk) => finish(chunk.toString('latin1')));
    socket.write(greeting, 'latin1');
  });
}
