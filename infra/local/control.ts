import { rmSync } from 'node:fs';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { createInterface, type Interface } from 'node:readline';
import { CommandError } from './command-error.ts';
import { controlSocket } from './paths.ts';

/** What the running fleet does for other commands. */
export interface ControlHandlers {
  /** Ends the member's process, so that the caller may run it. */
  release(member: string): Promise<void>;
  /** Starts it again: the caller is done, or gone. */
  takeBack(member: string): Promise<void>;
}

/** A member on loan from the running fleet; it goes back when the connection ends, however that comes about. */
export interface Lease {
  giveBack(): Promise<void>;
  /** Resolves when the fleet ends while the member is on loan. */
  fleetEnded: Promise<void>;
}

const releaseWithinMs = 30_000;

/** Listens for other commands until the server is closed. The caller holds the data folder, so an old socket is stale. */
export function serveControl(handlers: ControlHandlers, path = controlSocket): Server {
  rmSync(path, { force: true });
  const borrowed = new Set<string>();
  const server = createServer((socket) => lend(socket, { handlers, borrowed }));
  // Without the socket only `npm run dev` beside a running fleet is missing.
  server.on('error', () => undefined);
  server.listen(path);
  return server;
}

/**
 * One request a connection: a line with the member's name; the answer is a line with "ok" or what is wrong. A member is
 * lent once: two that ran it would fight for its port, and the first to end would have the other's process ended.
 */
function lend(socket: Socket, { handlers, borrowed }: { handlers: ControlHandlers; borrowed: Set<string> }): void {
  let lent: Promise<string> | undefined;
  socket.on('error', () => undefined);
  linesOf(socket).once('line', (member) => {
    if (borrowed.has(member)) return void socket.end('another npm run dev runs it already\n');
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

/** The lines of a socket. Its failures come through here a second time, and would end the process unheard. */
function linesOf(socket: Socket): Interface {
  return createInterface({ input: socket }).on('error', () => undefined);
}

/** Borrows a member from the running fleet. */
export async function lease(member: string, path = controlSocket): Promise<Lease> {
  const socket = connect(path);
  const ended = new Promise<void>((resolve) => socket.once('close', () => resolve()));
  const answer = await new Promise<string>((resolve) => {
    socket.setTimeout(releaseWithinMs, () => resolve('the running fleet does not answer'));
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

/** The socket is there from when the databases are ready until the fleet is ended. */
function unreachable({ code, message }: NodeJS.ErrnoException): string {
  const isMissing = code === 'ENOENT' || code === 'ECONNREFUSED';
  return isMissing
    ? 'the fleet is just starting or ending, try again in a few seconds'
    : `the running fleet cannot be reached: ${message}`;
}
