import { connect, createServer, type Socket } from 'node:net';

export interface Balancer {
  close(): Promise<void>;
}

/** Spreads connections over ports of loopback in turn, as a Kubernetes service does; one that refuses is passed over. */
export async function startBalancer(port: number, targets: readonly number[]): Promise<Balancer> {
  const sockets = new Set<Socket>();
  let turn = 0;
  const join = (client: Socket, tries: number): void => {
    const upstream = connect({ host: '127.0.0.1', port: targets[turn++ % targets.length] as number });
    const refused = () => (tries > 1 ? join(client, tries - 1) : client.destroy());
    upstream.once('error', refused);
    upstream.once('connect', () => {
      upstream.off('error', refused);
      for (const [from, to] of [
        [client, upstream],
        [upstream, client],
      ] as const) {
        from.setNoDelay(true);
        from.on('error', () => to.destroy());
        from.on('close', () => to.destroy());
        from.pipe(to);
        sockets.add(from);
        from.on('close', () => sockets.delete(from));
      }
    });
  };
  const server = createServer({ pauseOnConnect: true }, (client) => {
    client.on('error', () => {});
    join(client, targets.length);
  });
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve));
  return {
    close: () =>
      new Promise((resolve) => {
        for (const socket of sockets) socket.destroy();
        server.close(() => resolve());
      }),
  };
}
