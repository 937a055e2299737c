import { createSign, generateKeyPairSync, randomUUID } from 'node:crypto';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/** A local SNS: serves its certificate, and signs messages. */
export interface SnsPeer {
  origin: string;
  topic: string;
  /** The paths of confirmed subscriptions. */
  confirmed: string[];
  /** The JSON of a signed notification, or of the request to confirm a subscription. */
  message(fields?: Record<string, string>, version?: '1' | '2'): string;
  close(): Promise<void>;
}

const signed = {
  Notification: ['Message', 'MessageId', 'Subject', 'Timestamp', 'TopicArn', 'Type'],
  SubscriptionConfirmation: ['Message', 'MessageId', 'SubscribeURL', 'Timestamp', 'Token', 'TopicArn', 'Type'],
};

export async function snsPeer(): Promise<SnsPeer> {
  const { key, certificate } = selfSigned();
  const confirmed: string[] = [];
  const server = createServer((request, response) => {
    if (request.url === '/cert.pem') return void response.end(certificate);
    confirmed.push(request.url as string);
    response.end('<ConfirmSubscriptionResponse/>');
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const topic = 'arn:aws:sns:eu-west-1:123456789012:reports';
  return {
    origin,
    topic,
    confirmed,
    message(fields = {}, version = '2') {
      const message: Record<string, string> = {
        Type: 'Notification',
        MessageId: randomUUID(),
        TopicArn: topic,
        Message: 'Hello',
        Timestamp: new Date().toISOString(),
        SignatureVersion: version,
        SigningCertURL: `${origin}/cert.pem`,
        ...fields,
      };
      const names = signed[message['Type'] as keyof typeof signed].filter((name) => message[name] !== undefined);
      const sign = createSign(version === '1' ? 'RSA-SHA1' : 'RSA-SHA256');
      sign.update(names.map((name) => `${name}\n${message[name]}\n`).join(''));
      return JSON.stringify({ ...message, Signature: sign.sign(key, 'base64') });
    },
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** A certificate with a new key (X.509, in DER). */
function selfSigned() {
  const { publicKey, privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
  const algorithm = Buffer.from('300d06092a864886f70d01010b0500', 'hex');
  const commonName = Buffer.from('0603550403', 'hex');
  const name = der(0x30, der(0x31, der(0x30, commonName, der(0x0c, Buffer.from('sns')))));
  const time = (text: string) => der(0x17, Buffer.from(text));
  const version = der(0xa0, der(0x02, Buffer.from([2])));
  const serial = der(0x02, Buffer.from([1]));
  const validity = der(0x30, time('200101000000Z'), time('491231235959Z'));
  const key = publicKey.export({ format: 'der', type: 'spki' });
  const content = der(0x30, version, serial, algorithm, name, validity, name, key);
  const signature = createSign('RSA-SHA256').update(content).sign(privateKey);
  const certificate = der(0x30, content, algorithm, der(0x03, Buffer.from([0]), signature));
  const pem = `-----BEGIN CERTIFICATE-----\n${certificate.toString('base64')}\n-----END CERTIFICATE-----\n`;
  return { key: privateKey, certificate: pem };
}

function der(tag: number, ...parts: Buffer[]): Buffer {
  const body = Buffer.concat(parts);
  const length = body.length < 128 ? [body.length] : [0x82, body.length >> 8, body.length & 0xff];
  return Buffer.concat([Buffer.from([tag, ...length]), body]);
}
