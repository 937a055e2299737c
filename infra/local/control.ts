import { rmSync } from 'node:fs';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { createInterface } from 'node:readline';
import { Explained } from './failure.ts';
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
export function serveControl(handlers: ControlHandlers): Server {
  rmSync(controlSocket, { force: true });
  const server = createServer((socket) => lend(socket, handlers));
  // Without the socket only `npm run dev` beside a running fleet is missing.
  server.on('error', () => undefined);
  server.listen(controlSocket);
  return server;
}

/** One request a connection: a line with the member's name; the answer is a line with "ok" or what is wrong. */
function lend(socket: Socket, handlers: ControlHandlers): void {
  let lent: Promise<string> | undefined;
  socket.on('error', () => undefined);
  createInterface({ input: socket }).once('line', (member) => {
    lent = handlers.release(member).then(
      () => member,
      (error) => {
        socket.end(`${(error as Error).message}\n`);
        return '';
      },
    );
    void lent.then((name) => name && socket.write('ok\n'));
  });
  socket.on('close', () => {
    void lent?.then((member) => (member ? handlers.takeBack(member) : undefined)).catch(() => undefined);
  });
}

/** Borrows a member from the running fleet. */
export async function lease(member: string): Promise<Lease> {
  const socket = connect(controlSocket);
  const ended = new Promise<void>((resolve) => socket.once('close', () => resolve()));
  const answer = await new Promise<string>((resolve) => {
    socket.setTimeout(releaseWithinMs, () => resolve('the running fleet does not answer'));
    socket.once('error', (error) => resolve(`the running fleet cannot be reached: ${error.message}`));
    createInterface({ input: socket }).once('line', resolve);
    socket.write(`${member}\n`);
  });
  socket.setTimeout(0);
  if (answer !== 'ok') {
    socket.destroy();
    throw new Explained(`${member} could not be taken over: ${answer}.`);
  }
  const giveBack = async () => {
    socket.end();
    await ended;
  };
  return { giveBack, fleetEnded: ended };
}
