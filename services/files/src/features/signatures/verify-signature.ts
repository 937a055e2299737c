import { unknownId } from '@tandem/contract';
import type { signatureRequests } from '@tandem/files-contract';
import { fail, failField } from '@tandem/service';
import type { Handler, Tools, Tx } from '../../handler.ts';
import { readBytes } from './document.ts';
import type { VerifiedSignature } from './pdf/verify.ts';

interface Found {
  sha256: string;
  signature: VerifiedSignature | null;
}

export const verifySignature = (tools: Tools): Handler<typeof signatureRequests.verifySignature, Found> => ({
  async check({ body, caller, tx }) {
    const { sha256, fileId, versionId } = body;
    if ((sha256 === undefined) === (fileId === undefined)) throw failField('sha256', 'Send either sha256 or fileId');
    if (sha256 !== undefined) return { sha256: sha256.toLowerCase(), signature: null };
    const file = await tx.file.findFirst({ where: { id: fileId as number, deletedAt: null } });
    if (!file) throw failField('fileId', unknownId('file'));
    const wanted = { id: versionId ?? (file.versionId as number), fileId: file.id };
    const version = await tx.fileVersion.findFirst({ where: wanted });
    if (!version) throw failField('versionId', unknownId('file_version'));
    if (version.status !== 'available') throw fail('not_available');
    const bytes = await readBytes(tools, version);
    return { sha256: version.checksumSha256, signature: await verify(tools, bytes, caller.tenantId as number) };
  },
  run: ({ tx, found }) => known(tx, found),
});

/** Checks the embedded signature of a document. */
export function verify(tools: Tools, bytes: Uint8Array, tenantId: number): Promise<VerifiedSignature> {
  return tools.pdf.verify(bytes, tools.signingKeys.known, tenantId);
}

/** The request by which a document was signed. */
export async function known(tx: Tx, { sha256, signature }: Found) {
  const request = await tx.signatureRequest.findFirst({
    where: { completedSha256: sha256, file: { deletedAt: null } },
  });
  return {
    known: request !== null,
    requestId: request?.id ?? null,
    completedAt: request?.completedAt ?? null,
    sha256,
    signature,
  };
}
