import { SignatureAuditEntry, type signatureRequests } from '@tandem/files-contract';
import { fail } from '@tandem/service';
import { z } from 'zod';
import type { SignatureEvent as EventRow } from '../../generated/client.ts';
import type { Handler, Tools } from '../../handler.ts';
import { certificateOf } from './certificate.ts';
import type { Certificate } from './pdf/certificate-pages.ts';
import { findRequest } from './request.ts';
import { readTrail } from './trail.ts';

interface Found {
  entries: EventRow[];
  isIntact: boolean;
  pdf: Uint8Array | undefined;
  filename: string;
}

export const getSignatureAuditTrail = (
  tools: Tools,
): Handler<typeof signatureRequests.getSignatureAuditTrail, Found> => ({
  async check({ params, query, caller, tx }) {
    const whole = await findRequest(tx, params.requestId);
    const { entries, isIntact } = await readTrail(tx, params.requestId);
    const file = await tx.file.findFirst({ where: { id: whole.request.fileId } });
    const { environment } = caller;
    const tenantId = caller.tenantId as number;
    const filename = file?.filename ?? '';
    const print = (certificate: Certificate) => tools.pdf.certificate(certificate, tenantId);
    const pdf =
      query.format === 'pdf'
        ? await print(certificateOf(tools, { ...whole, filename, entries, tenantId, environment }, 'trail'))
        : undefined;
    if (query.format === 'pdf' && !pdf) throw fail('trail_too_long');
    return { entries, isIntact, pdf, filename };
  },

  run({ caller, found: { entries, isIntact, pdf, filename } }) {
    if (pdf) {
      const name = `${filename.replace(/\.pdf$/i, '')} - audit trail.pdf`;
      return { body: pdf, type: 'application/pdf', disposition: { kind: 'attachment', filename: name } };
    }
    const tenantId = caller.tenantId as number;
    // A response of another media type passes the gateway as it is, so public ids are encoded here.
    const publicIds = ({ signerId, userId }: EventRow) => ({
      signerId: signerId === null ? null : tools.ids.encode('signer', tenantId, signerId),
      userId: userId === null ? null : tools.ids.encode('user', tenantId, userId),
    });
    const shown = entries.map((row) => ({
      ...(z.encode(SignatureAuditEntry, row as never) as object),
      ...publicIds(row),
    }));
    const data = { entries: shown, isIntact };
    const meta = { timestamp: new Date().toISOString(), version: 'v1', requestId: caller.requestId };
    return {
      body: JSON.stringify({ success: true, status: 200, message: 'The audit trail', data, meta }),
      type: 'application/json',
    };
  },
});
