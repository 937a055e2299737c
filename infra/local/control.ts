import { rmSync } from 'node:fs';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { createInterface, type Interface } from 'node:readline';
import { CommandError } from './command-error.ts';
import { controlSocket } from './paths.ts';

/** Requests that other commands send to the running fleet. */
export interface ControlHandlers {
  /** Stops the member's process, so that the caller can run it. */
  release(member: string): Promise<void>;
  /** Starts the member again after the caller has finished or disconnected. */
  takeBack(member: string): Promise<void>;
}

/** A member leased from the running fleet; returned when the connection closes for any reason. */
export interface Lease {
  giveBack(): Promise<void>;
  /** Resolves if the fleet stops during the lease. */
  fleetEnded: Promise<void>;
}

const releaseWithinMs = 30_000;

/**
 * Serves other commands until the server is closed. The caller holds the data folder, so an existing socket is stale.
 */
export function serveControl(handlers: ControlHandlers, path = controlSocket): Server {
  rmSync(path, { force: true });
  const borrowed = new Set<string>();
  const server = createServer((socket) => lend(socket, { handlers, borrowed }));
  // Without the socket, only `npm run dev` next to a running fleet does not work.
  server.on('error', () => undefined);
  server.listen(path);
  return server;
}

/**
 * One request per connection: a line with the member's name. The response is a line with "ok" or the problem. A member
 * is leased only once: two processes would compete for its port, and the end of one would stop the process of the
 * other.
 */
function lend(socket: Socket, { handlers, borrowed }: { handlers: ControlHandlers; borrowed: Set<string> }): void {
  let lent: Promise<string> | undefined;
  socket.on('error', () => undefined);
  linesOf(socket).once('line', (member) => {
    if (borrowed.has(member)) return void socket.end('another npm run dev is already running it\n');
    borrowed.add(member);
    lent = handlers.release(member).then(
      () => member,
      (error) => {
        borrowed.delete(member);
        socket.end(`${(error as Error).message}\n`);
        return '';
      },
    );
    void lent.then((name) => name && socket.write('ok\n'));
  });
  socket.on('close', () => {
    void lent?.then((member) => (member ? takeBack(member) : undefined)).catch(() => undefined);
  });

  async function takeBack(member: string): Promise<void> {
    try {
      await handlers.takeBack(member);
    } finally {
      borrowed.delete(member);
    }
  }
}

/** The lines of a socket. readline re-emits its errors, which would crash the process without a listener. */
function linesOf(socket: Socket): Interface {
  return createInterface({ input: socket }).on('error', () => undefined);
}

/** Leases a member from the running fleet. */
export async function lease(member: string, path = controlSocket): Promise<Lease> {
  const socket = connect(path);
  const ended = new Promise<void>((resolve) => socket.once('close', () => resolve()));
  const answer = await new Promise<string>((resolve) => {
    socket.setTimeout(releaseWithinMs, () => resolve('the running fleet does not respond'));
    socket.once('error', (error: NodeJS.ErrnoException) => resolve(unreachable(error)));
    linesOf(socket).once('line', resolve);
    socket.write(`${member}\n`);
  });
  socket.setTimeout(0);
  if (answer !== 'ok') {
    socket.destroy();
    throw new CommandError(`${member} could not be taken over: ${answer}.`);
  }
  const giveBack = async () => {
    socket.end();
    await ended;
  };
  return { giveBack, fleetEnded: ended };
}

/** The problem of a failed connection. The socket exists from when the databases are ready until the fleet stops. */
function unreachable({ code, message }: NodeJS.ErrnoException): string {
  const isMissing = code === 'ENOENT' || code === 'ECONNREFUSED';
  return isMissing
    ? 'the fleet is starting or stopping; try again in a few seconds'
    : `cannot connect to the running fleet: ${message}`;
}
