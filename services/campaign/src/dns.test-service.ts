import { createSocket } from 'node:dgram';
import type { AddressInfo } from 'node:net';

/** A name server with the records of a test. */
export interface NameServer {
  /** `address:port`, for DNS_SERVERS. */
  address: string;
  /** The TXT records by name; a name without an entry does not exist. */
  txt: Map<string, string[]>;
  /** The other names of names. */
  cname: Map<string, string>;
  /** The IPv4 addresses by name. */
  a: Map<string, string[]>;
  /** While true, queries fail (SERVFAIL). */
  isDown: boolean;
  close(): Promise<void>;
}

const noError = 0;
const serverFailure = 2;
const noSuchName = 3;
const headerBytes = 12;
const types = { a: 1, cname: 5, txt: 16 };
const stringBytesMax = 255;

/** Starts a name server on a UDP port of this machine (RFC 1035). */
export async function nameServer(): Promise<NameServer> {
  const socket = createSocket('udp4');
  const server = {
    txt: new Map<string, string[]>(),
    cname: new Map<string, string>(),
    a: new Map<string, string[]>(),
    isDown: false,
  };
  socket.on('message', (query, { port, address }) => {
    const { name, end } = readName(query);
    const values = valuesOf(server, name.toLowerCase());
    const code = server.isDown ? serverFailure : values ? noError : noSuchName;
    const type = query.readUInt16BE(end);
    const answers = code === noError ? (values?.get(type) ?? []) : [];
    const header = Buffer.alloc(headerBytes);
    query.copy(header, 0, 0, 2);
    // A response with recursion available.
    header.writeUInt16BE(0x8180 | code, 2);
    header.writeUInt16BE(1, 4);
    header.writeUInt16BE(answers.length, 6);
    // The question ends with its type and class.
    const question = query.subarray(headerBytes, end + 4);
    socket.send(Buffer.concat([header, question, ...answers.map((data) => answerOf(type, data))]), port, address);
  });
  await new Promise<void>((resolve) => socket.bind(0, '127.0.0.1', resolve));
  return Object.assign(server, {
    address: `127.0.0.1:${(socket.address() as AddressInfo).port}`,
    close: () => new Promise<void>((resolve) => socket.close(() => resolve())),
  });
}

function readName(query: Buffer): { name: string; end: number } {
  const labels: string[] = [];
  let at = headerBytes;
  while (query[at]) {
    const length = query[at] as number;
    labels.push(query.toString('ascii', at + 1, at + 1 + length));
    at += 1 + length;
  }
  return { name: labels.join('.'), end: at + 1 };
}

/** The values of a name by type, encoded; undefined if the name has none. */
function valuesOf({ txt, cname, a }: Pick<NameServer, 'txt' | 'cname' | 'a'>, name: string) {
  const [texts, alias, addresses] = [txt.get(name), cname.get(name), a.get(name)];
  if (!texts && !alias && !addresses) return undefined;
  return new Map([
    [types.txt, (texts ?? []).map(encodeText)],
    [types.cname, alias ? [encodeName(alias)] : []],
    [types.a, (addresses ?? []).map((address) => Buffer.from(address.split('.').map(Number)))],
  ]);
}

function encodeName(name: string): Buffer {
  const labels = name.split('.').map((label) => Buffer.from([label.length, ...Buffer.from(label)]));
  return Buffer.concat([...labels, Buffer.from([0])]);
}

function encodeText(text: string): Buffer {
  const strings: Buffer[] = [];
  for (let at = 0; at < text.length; at += stringBytesMax) {
    const part = Buffer.from(text.slice(at, at + stringBytesMax));
    strings.push(Buffer.from([part.length]), part);
  }
  return Buffer.concat(strings);
}

function answerOf(type: number, data: Buffer): Buffer {
  const head = Buffer.alloc(headerBytes);
  // A pointer to the name of the question, its type, IN, a lifetime of 0 s.
  head.writeUInt16BE(0xc00c, 0);
  head.writeUInt16BE(type, 2);
  head.writeUInt16BE(1, 4);
  head.writeUInt16BE(data.length, 10);
  return Buffer.concat([head, data]);
}
