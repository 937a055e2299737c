import type { Person } from '@tandem/contract';
import { File, fileDeleted } from '@tandem/files-contract';
import { type Erasing, exportSection, type PersonalData } from '@tandem/service';
import type { Tools, Tx } from '../../handler.ts';
import { asFile } from '../files/file.ts';
import { removeFiles } from '../files/remove-files.ts';
import { removable } from '../retention/protection.ts';
import { endRequestsOfFiles } from '../signatures/end-request.ts';
import { signersData } from './signers-data.ts';

const batchMax = 200;

/**
 * The data of a person in files: the files of the lead, and what the person signed. Held files are kept. Jobs remove the
 * bytes of the others.
 */
export const filesData = (tools: Tools): PersonalData<Tx> => ({
  async erase(inside) {
    return { ...(await eraseFiles(tools, inside)), ...(await signersData(tools).erase(inside)) };
  },
  async read(inside) {
    const { tx, person } = inside;
    const where = ofLead(person);
    return [
      await exportSection('files', File, {
        count: () => tx.file.count({ where }),
        find: async (take) => (await tx.file.findMany({ where, orderBy: { id: 'desc' }, take })).map(asFile),
      }),
      ...(await signersData(tools).read(inside)),
    ];
  },
});

/** Files that clients attached to the lead, deleted ones too. */
function ofLead({ leadCodes }: Person) {
  return { OR: [{ entityType: 'lead' }, { entityType: null }], entityId: { in: leadCodes } };
}

async function eraseFiles(tools: Tools, { tx, emit, schedule, person }: Erasing<Tx>): Promise<Record<string, number>> {
  const where = { AND: [ofLead(person), removable()] };
  const rows = await tx.file.findMany({ where, orderBy: { id: 'asc' }, take: batchMax });
  if (!rows.length) return { files: 0 };
  const ids = rows.map(({ id }) => id);
  await endRequestsOfFiles(tools, { tx, emit, schedule }, ids);
  await removeFiles({ tx, schedule }, ids);
  for (const row of rows) {
    const record = { ...asFile(row), filename: 'erased', version: row.version + 1, deletedAt: new Date() };
    emit(fileDeleted, { data: { fileId: row.id, permanent: true }, record });
  }
  return { files: rows.length };
}
