import { id } from '@tandem/contract';
import { Signer } from '@tandem/files-contract';
import { type Erasing, exportSection, type PersonalData } from '@tandem/service';
import { z } from 'zod';
import type { Tools, Tx } from '../../handler.ts';
import { endRequest } from '../signatures/end-request.ts';
import { erasedContent, erasedEmail } from '../signatures/erased.ts';
import { isWaitingForDocument, peopleAndFields, writeRequest } from '../signatures/request.ts';
import { record } from '../signatures/trail.ts';
import { eraseSignatureBy, eraseSignatureJob } from './erase-signature.job.ts';

const batchMax = 200;
const open = ['draft', 'sent', 'in_progress'];

/** A request to a person to sign, as the export shows it. */
const SignerRecord = Signer.omit({ signingUrl: true }).extend({
  requestId: id('signature_request'),
  ip: z.string().nullable(),
  userAgent: z.string().nullable(),
});
const columns = Signer.pick({ role: true, status: true });

/**
 * The people in signature requests. An erasure removes who they are from the requests and from the audit trail, whose
 * hashes stay valid, and ends requests that they can still sign. A document that they signed belongs to its owner and is kept;
 * until it is stored, so are the name and the signature that it shows.
 */
export const signersData = (tools: Tools): PersonalData<Tx> => ({
  async erase({ tx, emit, schedule, person: { emails } }: Erasing<Tx>) {
    const where = { email: { in: emails } };
    const rows = await tx.signer.findMany({ where, orderBy: { id: 'asc' }, take: batchMax });
    const requestIds = [...new Set(rows.map(({ requestId }) => requestId))].sort((one, other) => one - other);
    const waiting = new Set<number>();
    for (const requestId of requestIds) {
      const request = await tx.signatureRequest.lockFirst({ where: { id: requestId } });
      if (!request) continue;
      if (isWaitingForDocument(request)) waiting.add(requestId);
      const entry = { type: 'person_erased' } as const;
      if (open.includes(request.status) && request.allSignedAt === null) {
        const { signers, fields } = await peopleAndFields(tx, [requestId]);
        // Nobody writes to the erased person.
        const others = signers.filter(({ email }) => !emails.includes(email));
        const whole = { request, fields, signers: others };
        await endRequest(tools, { tx, emit, schedule }, whole, { status: 'cancelled', entry });
      } else await record(tx, await writeRequest(tx, requestId, {}), entry);
    }
    const kept = rows.filter(({ requestId }) => waiting.has(requestId)).map(({ id }) => id);
    for (const { id: signerId } of rows) {
      const evidence = { ip: null, userAgent: null, declineReason: null, tokenHashes: [] };
      const content = kept.includes(signerId) ? {} : erasedContent;
      const data = { email: erasedEmail(signerId), ...evidence, ...content };
      await tx.signer.updateMany({ where: { id: signerId }, data });
      await tx.signatureEvent.updateMany({ where: { signerId }, data: { ip: null, userAgent: null, salt: null } });
    }
    const latestAt = eraseSignatureBy();
    await schedule(
      eraseSignatureJob,
      kept.map((signerId) => ({ signerId, latestAt })),
    );
    return { signers: rows.length, signaturesKeptForDocument: kept.length };
  },

  async read({ tx, person: { emails } }) {
    const where = { email: { in: emails } };
    return [
      await exportSection('signers', SignerRecord, {
        count: () => tx.signer.count({ where }),
        find: async (take) =>
          (await tx.signer.findMany({ where, orderBy: { id: 'desc' }, take })).map((row) => ({
            ...row,
            ...columns.parse(row),
          })),
      }),
    ];
  },
});
