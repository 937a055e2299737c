import { fail } from '@tandem/service';
import type { certificates } from '@tandem/training-contract';
import { z } from 'zod';
import type { Handler, Tools } from '../../handler.ts';
import { readNamed } from './read-named.ts';

const StoredTexts = z.object({
  title: z.string().default('Certificate'),
  text: z.string().nullable().default(null),
  signatory: z.string().nullable().default(null),
  signatoryTitle: z.string().nullable().default(null),
});

export const serveCertificate =
  ({ links, renderer, publicUrl }: Tools): Handler<typeof certificates.serveCertificate> =>
  async ({ params, inTenant }) => {
    const link = links.read(params.token);
    if (link === 'expired') throw fail('link_expired');
    if (!link) throw fail('not_found');
    const { tenantId, environment, certificateId: id } = link;
    const where = { id, status: { not: 'revoked' } };
    const row = await readNamed(() =>
      inTenant({ tenantId, environment }, ({ tx }) => tx.certificate.findFirst({ where })),
    );
    const body = await renderer.render(
      {
        ...StoredTexts.parse(row.texts),
        isTest: row.environment === 'sandbox',
        issuer: row.issuer,
        learnerName: row.learnerName,
        courseTitle: row.courseTitle,
        score: row.score,
        issuedAt: row.issuedAt,
        expiresAt: row.expiresAt,
        url: `${publicUrl}/certificates/${row.code}`,
      },
      tenantId,
    );
    const filename = `certificate-${row.issuedAt.toISOString().slice(0, 10)}.pdf`;
    return { body, type: 'application/pdf', disposition: { kind: 'attachment', filename } };
  };
