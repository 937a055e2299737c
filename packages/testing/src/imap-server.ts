// A local IMAP server (RFC 3501) with the commands that connections of mailboxes use.
import { type AddressInfo, createServer, type Socket } from 'node:net';

interface Message {
  uid: number;
  source: string;
  receivedAt: Date;
}
interface Folder {
  uidValidity: number;
  uidNext: number;
  messages: Message[];
}
/** The text that the server sends instead of its usual response to a command; `undefined` for no response at all. */
type Override = (tag: string) => string | undefined;

/** Starts a server with the user `ada` and the password `a"b\c`. */
export async function startImapServer() {
  const folders = new Map<string, Folder>([['INBOX', { uidValidity: 7, uidNext: 1, messages: [] }]]);
  const commands: string[] = [];
  const overrides = new Map<string, Override>();
  const sockets = new Set<Socket>();
  let greeting = '* OK ready\r\n';

  function respond(line: string, session: { folder?: Folder }): string | undefined {
    const [tag = '', first = '', ...words] = line.split(' ');
    const isUid = first.toUpperCase() === 'UID';
    const name = isUid ? `UID ${words.shift()?.toUpperCase()}` : first.toUpperCase();
    const rest = words.join(' ');
    commands.push(`${name} ${rest}`.trim());
    const override = overrides.get(name);
    if (override) return override(tag);
    const ok = (lines: string[] = []) => [...lines, `${tag} OK done`, ''].join('\r\n');
    const no = (text: string) => `${tag} NO ${text}\r\n`;
    if (name === 'CAPABILITY') return ok(['* CAPABILITY IMAP4rev1']);
    if (name === 'LOGIN') {
      if (rest.startsWith('"busy"') || rest.startsWith('busy')) return no('[UNAVAILABLE] later');
      const isAda = /^"?ada"? "a\\"b\\\\c"$/.test(rest);
      return isAda ? ok() : no('[AUTHENTICATIONFAILED] no');
    }
    if (name === 'LIST') {
      const path = unquoted(words.at(-1) ?? '');
      return ok(folders.has(path) ? [`* LIST () "/" "${path}"`] : []);
    }
    if (name === 'LSUB') return ok();
    if (name === 'EXAMINE') {
      const folder = folders.get(unquoted(rest));
      if (!folder) return no('[NONEXISTENT] no such folder');
      session.folder = folder;
      const { uidValidity, uidNext, messages } = folder;
      const codes = [`* OK [UIDVALIDITY ${uidValidity}] ok`, `* OK [UIDNEXT ${uidNext}] ok`];
      return [`* ${messages.length} EXISTS`, '* 0 RECENT', ...codes, `${tag} OK [READ-ONLY] done`, ''].join('\r\n');
    }
    if (name === 'UID SEARCH' && session.folder)
      return ok([`* SEARCH ${searched(session.folder, rest).join(' ')}`.trim()]);
    if (name === 'UID FETCH' && session.folder) return `${fetched(session.folder, rest)}${ok()}`;
    if (name === 'LOGOUT') return `* BYE see you\r\n${ok()}`;
    return `${tag} BAD unknown command\r\n`;
  }

  const server = createServer((socket) => {
    sockets.add(socket);
    socket.on('error', () => {}).on('close', () => sockets.delete(socket));
    const session = {};
    let text = '';
    socket.write(greeting);
    socket.on('data', (chunk) => {
      text += chunk.toString('latin1');
      const lines = text.split('\r\n');
      text = lines.pop() as string;
      for (const line of lines) {
        const response = respond(line, session);
        if (response !== undefined) socket.write(response, 'latin1');
        if (/^\S+ LOGOUT$/i.test(line)) socket.end();
      }
    });
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const folderOf = (name: string) => {
    const folder = folders.get(name) ?? { uidValidity: 1, uidNext: 1, messages: [] };
    folders.set(name, folder);
    return folder;
  };

  return {
    port: (server.address() as AddressInfo).port,
    /** The commands that arrived, without their tags. */
    commands,
    /** Delivers a message; returns its number. */
    append(source: string, { folder = 'INBOX', at = new Date() } = {}): number {
      const to = folderOf(folder);
      const uid = to.uidNext++;
      to.messages.push({ uid, source: source.replaceAll(/\r?\n/g, '\r\n'), receivedAt: at });
      return uid;
    },
    remove(uid: number) {
      const { messages } = folderOf('INBOX');
      messages.splice(
        messages.findIndex((message) => message.uid === uid),
        1,
      );
    },
    /** Numbers all messages again, as a server does that was restored from a copy. */
    renumber() {
      const folder = folderOf('INBOX');
      folder.uidValidity += 1;
      for (const [index, message] of folder.messages.entries()) message.uid = index + 1;
      folder.uidNext = folder.messages.length + 1;
    },
    greet(text: string) {
      greeting = text;
    },
    /** Replaces the response to a command, such as `UID FETCH`. */
    override: (command: string, response: Override) => void overrides.set(command, response),
    reset() {
      overrides.clear();
      greeting = '* OK ready\r\n';
      commands.length = 0;
    },
    async close() {
      for (const socket of sockets) socket.destroy();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

export type ImapServer = Awaited<ReturnType<typeof startImapServer>>;

function unquoted(text: string): string {
  return text.replace(/^"|"$/g, '');
}

function isIn(uid: number, set: string, highest: number): boolean {
  return set.split(',').some((part) => {
    const [from = 0, to] = part.split(':').map((one) => (one === '*' ? highest : Number(one)));
    const ends = [from, to ?? from];
    return uid >= Math.min(...ends) && uid <= Math.max(...ends);
  });
}

function searched({ messages }: Folder, criteria: string): number[] {
  const highest = messages.at(-1)?.uid ?? 0;
  const [, set] = /UID (\S+)/.exec(criteria) ?? [];
  const [, since] = /SINCE "?([^"\s]+)"?/.exec(criteria) ?? [];
  const day = since ? Date.parse(`${since.replaceAll('-', ' ')} UTC`) : 0;
  return messages
    .filter(({ uid, receivedAt }) => (!set || isIn(uid, set, highest)) && receivedAt.getTime() >= day)
    .map(({ uid }) => uid);
}

function fetched({ messages }: Folder, rest: string): string {
  const [set = ''] = rest.split(' ');
  const highest = messages.at(-1)?.uid ?? 0;
  return messages
    .filter(({ uid }) => isIn(uid, set, highest))
    .map((message) => {
      const [, section = '', start = '0', length] = /BODY\.PEEK\[([^\]]*)\](?:<(\d+)\.(\d+)>)?/.exec(rest) ?? [];
      const header = `${message.source.split('\r\n\r\n')[0]}\r\n\r\n`;
      const whole = Buffer.from(section === 'HEADER' ? header : message.source);
      const part = whole.subarray(Number(start), length === undefined ? undefined : Number(start) + Number(length));
      const seq = messages.indexOf(message) + 1;
      return `* ${seq} FETCH (UID ${message.uid} INTERNALDATE "${dateTime(message.receivedAt)}" BODY[${section}]<${start}> {${part.length}}\r\n${part.toString('latin1')})\r\n`;
    })
    .join('');
}

/** A date as RFC 3501 writes it: `17-Jul-2026 02:44:25 +0000`. */
function dateTime(date: Date): string {
  const [, day, month, year, time] = date.toUTCString().split(' ');
  return `${day}-${month}-${year} ${time} +0000`;
}
