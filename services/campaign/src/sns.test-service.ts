import { execFileSync } from 'node:child_process';
import { createSign, randomUUID } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { mkdtemp, rm } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

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
  const { key, certificate } = await selfSigned();
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

async function selfSigned(): Promise<{ key: string; certificate: string }> {
  const folder = await mkdtemp(join(tmpdir(), 'sns-'));
  const [key, certificate] = [join(folder, 'key.pem'), join(folder, 'cert.pem')];
  const request = ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', '-subj', '/CN=sns', '-days', '2'];
  execFileSync('openssl', [...request, '-keyout', key, '-out', certificate], { stdio: 'ignore' });
  const pems = { key: readFileSync(key, 'utf8'), certificate: readFileSync(certificate, 'utf8') };
  await rm(folder, { recursive: true });
  return pems;
}
