import { File, fileDeleted } from '@tandem/files-contract';
import { type Erasing, exportSection, type PersonalData } from '@tandem/service';
import type { File as FileRow } from '../../generated/client.ts';
import type { Tools, Tx } from '../../handler.ts';
import { asFile } from '../files/file.ts';
import { removeFiles } from '../files/remove-files.ts';
import { isProtected, removable } from '../retention/protection.ts';
import { endRequestsOfFiles } from '../signatures/end-request.ts';
import { signersData } from './signers-data.ts';

const batchMax = 200;

/**
 * The data of a person in files: the files of the lead, and what the person signed. Held files are kept. Jobs remove the
 * bytes of the others.
 */
export const filesData = (tools: Tools): PersonalData<Tx> => ({
  async erase(inside) {
    const files = await eraseFiles(tools, inside, filesOf(inside.person.leadCodes));
    return { ...files, ...(await signersData(tools).erase(inside)) };
  },
  /** Files that must be kept, by the reason. They are removed when they are released. */
  async kept({ tx, person }) {
    const where = filesOf(person.leadCodes);
    const [filesKeptByHold, filesKeptByRetention] = await Promise.all([
      tx.file.count({ where: { AND: [where, { legalHold: true }] } }),
      tx.file.count({ where: { AND: [where, { legalHold: false, retainUntil: { gt: new Date() } }] } }),
    ]);
    return { filesKeptByHold, filesKeptByRetention };
  },
  async read(inside) {
    const { tx, person } = inside;
    const where = filesOf(person.leadCodes);
    return [
      await exportSection('files', File, {
        count: () => tx.file.count({ where }),
        find: async (take) => (await tx.file.findMany({ where, orderBy: { id: 'desc' }, take })).map(asFile),
      }),
      ...(await signersData(tools).read(inside)),
    ];
  },
});

/** Files that clients attached to leads, by their public ids; deleted files too. */
export function filesOf(leadCodes: readonly string[]) {
  return { OR: [{ entityType: 'lead' }, { entityType: null }], entityId: { in: [...leadCodes] } };
}

/** Removes a batch of files that are not held, also uploads that are not complete, and cancels what people are signing. */
export async function eraseFiles(
  tools: Tools,
  { tx, emit, schedule }: Pick<Erasing<Tx>, 'tx' | 'emit' | 'schedule'>,
  files: ReturnType<typeof filesOf>,
): Promise<{ files: number }> {
  const where = { AND: [files, removable()] };
  const found = await tx.file.findMany({ where, orderBy: { id: 'asc' }, take: batchMax, select: { id: true } });
  const rows: FileRow[] = [];
  for (const { id } of found) {
    // A hold that was set meanwhile counts.
    const row = await tx.file.lockFirst({ where: { id } });
    if (row && !isProtected(row)) rows.push(row);
  }
  const ids = rows.map(({ id }) => id);
  await endRequestsOfFiles(tools, { tx, emit, schedule }, ids);
  await removeFiles({ tx, schedule }, ids);
  for (const row of rows) {
    const record = { ...asFile(row), filename: 'erased', version: row.version + 1, deletedAt: new Date() };
    emit(fileDeleted, { data: { fileId: row.id, permanent: true }, record });
  }
  return { files: rows.length };
}
