import type { Seal } from '@tandem/sealed';

/** A message of this deployment, as its Message-ID names it. */
export interface MessageRef {
  ref: string;
  tenantId: number;
  environment: 'live' | 'sandbox';
}

const tenantBits = 24;
const ownerBytes = 4;
const checkBytes = 3;
const inText = /\b([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})\.([0-9a-f]{14})@/gi;
// A chain of References may be long; what counts are the messages that it names first and last.
const refsMax = 100;

/**
 * The part of a Message-ID before the @: `ref` and, hidden, the tenant and the environment. Reports of mail servers name only
 * the Message-ID, and rows of messages cannot be read without knowing their tenant.
 */
export function idPart(seal: Seal, { ref, tenantId, environment }: MessageRef): string {
  const owner = Buffer.alloc(ownerBytes);
  owner.writeUInt32BE((environment === 'sandbox' ? 2 ** tenantBits : 0) + tenantId);
  const pad = padOf(seal.digest(contextOf(ref)));
  return `${ref}.${Buffer.concat([xor(owner, pad), pad.subarray(ownerBytes)]).toString('hex')}`;
}

/** The messages of this deployment whose Message-IDs occur in a text; those of others are left out. */
export function refsIn(seal: Seal, text: string): MessageRef[] {
  const found: MessageRef[] = [];
  for (const [, ref = '', tag = ''] of text.matchAll(inText)) {
    const message = read(seal, ref.toLowerCase(), Buffer.from(tag, 'hex'));
    if (message) found.push(message);
    if (found.length === refsMax) break;
  }
  return found;
}

function read(seal: Seal, ref: string, tag: Buffer): MessageRef | undefined {
  const pad = seal
    .digests(contextOf(ref))
    .map(padOf)
    .find((one) => one.subarray(ownerBytes).equals(tag.subarray(ownerBytes)));
  if (!pad) return undefined;
  const owner = xor(tag.subarray(0, ownerBytes), pad).readUInt32BE();
  const tenantId = owner % 2 ** tenantBits;
  return { ref, tenantId, environment: owner >= 2 ** tenantBits ? 'sandbox' : 'live' };
}

function padOf(digest: string): Buffer {
  return Buffer.from(digest, 'base64').subarray(0, ownerBytes + checkBytes);
}

function xor(bytes: Buffer, pad: Buffer): Buffer {
  return Buffer.from(bytes.map((byte, at) => byte ^ (pad[at] as number)));
}

function contextOf(ref: string): string {
  return `message-id ${ref}`;
}
