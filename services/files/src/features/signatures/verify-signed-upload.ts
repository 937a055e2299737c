import { createHash } from 'node:crypto';
import type { signatureRequests } from '@tandem/files-contract';
import { fail } from '@tandem/service';
import type { Handler, Tools } from '../../handler.ts';
import { documentLimits } from './pdf/document.ts';
import type { VerifiedSignature } from './pdf/verify.ts';
import { known, verify } from './verify-signature.ts';

interface Received {
  checksum: string;
  signature: VerifiedSignature;
}

export const verifySignedUpload = (tools: Tools): Handler<typeof signatureRequests.verifySignedUpload, Received> => ({
  async receive({ stream }, { caller }) {
    const chunks: Buffer[] = [];
    let size = 0;
    for await (const chunk of stream) {
      size += (chunk as Buffer).length;
      if (size > documentLimits.bytes)
        throw fail('body_too_large', [{ field: 'file', message: `Must be at most ${documentLimits.bytes} bytes` }]);
      chunks.push(chunk as Buffer);
    }
    const bytes = new Uint8Array(Buffer.concat(chunks));
    return {
      checksum: createHash('sha256').update(bytes).digest('hex'),
      signature: await verify(tools, bytes, caller.tenantId as number),
    };
  },
  // Nothing was stored.
  async discard() {},
  run: ({ tx, found }) => known(tx, { sha256: found.checksum, signature: found.signature }),
});
