import { type Ai, SchemaError } from '@tandem/ai';
import { actingUserId } from '@tandem/caller';
import { unknownId } from '@tandem/contract';
import { type ocr, ocrBytesMax } from '@tandem/files-contract';
import { fail, failField } from '@tandem/service';
import type { Handler } from '../../handler.ts';
import { findPresent, lockPresent } from '../files/file.ts';
import { fingerprintOf } from './ocr-job.ts';
import { readDocumentJob } from './read-document.job.ts';
import { readableKind } from './readable.ts';

export const startOcr = ({ ai }: { ai: Ai }): Handler<typeof ocr.startOcr> => ({
  async check({ params, body, caller, tx }) {
    await findPresent(tx, params.id);
    const { schema, features } = body;
    if (features.includes('fields') && !schema) throw failField('schema', 'Is required for the feature fields');
    if (!schema) return;
    if (!features.includes('fields'))
      throw failField('schema', 'Is used by the feature fields only; add it to features');
    if (schema['type'] !== 'object') throw failField('schema', 'Must have the type object');
    try {
      await ai.checkSchema(schema, caller.tenantId);
    } catch (error) {
      if (error instanceof SchemaError) throw failField('schema', error.message);
      throw error;
    }
  },

  async run({ params, body, caller, tx, schedule, wasThere }) {
    // The lock lets one of two identical requests find the job of the other.
    const file = await lockPresent(tx, params.id);
    const { versionId = file.versionId as number, languages, features, pages, schema, force } = body;
    const version = await tx.fileVersion.findFirst({ where: { id: versionId, fileId: file.id } });
    if (!version) throw failField('versionId', unknownId('file_version'));
    if (version.status !== 'available') throw fail('not_available');
    if (!readableKind(version))
      throw fail('unsupported_type', [{ field: 'id', message: `The file is of the type ${version.contentType}` }]);
    if (version.size > ocrBytesMax)
      throw fail('file_too_large', [{ field: 'id', message: `The file has more than ${ocrBytesMax} bytes` }]);
    const fingerprint = fingerprintOf({ languages, features, pages, schema });
    const earlier = await tx.ocrJob.findFirst({
      where: { fileId: file.id, versionId, fingerprint, status: { not: 'failed' } },
      orderBy: { id: 'desc' },
    });
    if (earlier && (!force || earlier.status !== 'completed')) {
      wasThere();
      return earlier as typeof earlier & { status: 'completed' };
    }
    const job = await tx.ocrJob.create({
      data: {
        fileId: file.id,
        versionId,
        languages,
        features,
        pages: pages ?? [],
        ...(schema && { schema: schema as object }),
        fingerprint,
        createdBy: actingUserId(caller) ?? null,
      },
    });
    if (versionId === file.versionId)
      await tx.file.updateManyAndReturn({ where: { id: file.id }, data: { ocrStatus: 'queued' } });
    await schedule(readDocumentJob, [{ ocrJobId: job.id }]);
    return job as typeof job & { status: 'queued' };
  },
});
