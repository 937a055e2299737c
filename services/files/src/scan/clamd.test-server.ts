import type { AddressInfo } from 'node:net';
import { createServer, type Socket } from 'node:net';

/** Text that the server takes for malware. */
export const malware = 'X5O!P%@AP[4-PZX54(P^)7CC)7}$TEST';

/** A server on loopback that speaks clamd's INSTREAM, with a limit on the length of a stream. */
export async function startClamd({ lengthMax = 10_000_000 } = {}) {
  const received: Buffer[] = [];
  const sockets = new Set<Socket>();
  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('close', () => sockets.delete(socket)).on('error', () => {});
    let pending: Buffer = Buffer.alloc(0);
    const content: Buffer[] = [];
    let isStream = false;
    let size = 0;
    socket.on('data', (chunk) => {
      pending = Buffer.concat([pending, chunk]);
      const command = Buffer.from('zINSTREAM\0');
      if (!isStream) {
        if (pending.equals(Buffer.from('zPING\0'))) return void socket.end('PONG\0');
        if (pending.length < command.length) return;
        if (!pending.subarray(0, command.length).equals(command)) return void socket.end('UNKNOWN COMMAND\0');
        isStream = true;
        pending = pending.subarray(command.length);
      }
      while (pending.length >= 4) {
        const length = pending.readUInt32BE(0);
        if (length === 0) {
          const whole = Buffer.concat(content);
          received.push(whole);
          return void socket.end(whole.includes(malware) ? 'stream: Eicar-Signature FOUND\0' : 'stream: OK\0');
        }
        if (pending.length < 4 + length) return;
        size += length;
        if (size > lengthMax) return void socket.end('INSTREAM size limit exceeded. ERROR\0');
        content.push(pending.subarray(4, 4 + length));
        pending = pending.subarray(4 + length);
      }
    });
  });
  const listen = (port: number) => new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  await listen(0);
  const { port } = server.address() as AddressInfo;
  const stop = () =>
    new Promise<void>((resolve) => {
      server.close(() => resolve());
      for (const socket of sockets) socket.destroy();
    });
  return { address: `127.0.0.1:${port}`, received, stop, restart: () => listen(port) };
}
