import type { Caller } from '@tandem/caller';
import { type ScormSummary, ScormVersion } from '@tandem/training-contract';
import type { z } from 'zod';
import type { ScormPackage as PackageRow } from '../../generated/client.ts';
import type { Tools, Tx } from '../../handler.ts';
import type { ReadContent } from './package/package-reader.ts';

/** The package of a lesson that is about to be written: a known one, or one that was read for it. */
export type PreparedPackage = { packageId: number } | { fileId: number; read: ReadContent };

/**
 * Finds the package of a content that was read before, or reads it. Not inside a transaction.
 * @throws ApiError 422 for a file that is not a package, or a hostile one
 */
export async function preparePackage(
  { packages }: Pick<Tools, 'packages'>,
  tx: Tx,
  { fileId, checksum, caller }: { fileId: number; checksum: string; caller: Caller },
): Promise<PreparedPackage> {
  const known = await tx.scormPackage.findFirst({ where: { fileId, checksumSha256: checksum } });
  return known ? { packageId: known.id } : { fileId, read: await packages.read({ fileId, caller }) };
}

/** Stores a package that was read; the id of the stored one if another request was faster. */
export async function storePackage(tx: Tx, prepared: PreparedPackage): Promise<number> {
  if ('packageId' in prepared) return prepared.packageId;
  const { fileId, read } = prepared;
  const { checksumSha256, version, title, launch, masteryScore, launchData, entries } = read;
  const [stored] = await tx.sql<{ id: number }>`
    INSERT INTO scorm_package (file_id, checksum_sha256, version, title, launch, mastery_score, launch_data)
    VALUES (${fileId}, ${checksumSha256}, ${version}, ${title}, ${launch}, ${masteryScore}, ${launchData})
    ON CONFLICT (tenant_id, environment, file_id, checksum_sha256) DO NOTHING RETURNING id`;
  if (!stored) {
    const known = await tx.scormPackage.findFirst({ where: { fileId, checksumSha256 } });
    if (!known) throw new Error('The package of the file was removed meanwhile');
    return known.id;
  }
  await tx.sql`
    INSERT INTO scorm_entry (package_id, path, start, compressed_size, size, is_deflated)
    SELECT ${stored.id}, entry.* FROM unnest(${entries.map(({ path }) => path)}::text[],
      ${entries.map(({ start }) => start)}::bigint[], ${entries.map(({ compressedSize }) => compressedSize)}::int[],
      ${entries.map(({ size }) => size)}::int[], ${entries.map(({ isDeflated }) => isDeflated)}::boolean[]) AS entry`;
  return Number(stored.id);
}

/** The package of a lesson; undefined if the lesson has none. */
export async function packageOfLesson(tx: Tx, lessonId: number): Promise<PackageRow | undefined> {
  const lesson = await tx.lesson.findFirst({
    where: { id: lessonId, deletedAt: null },
    select: { scormPackageId: true },
  });
  if (!lesson?.scormPackageId) return undefined;
  return (await tx.scormPackage.findFirst({ where: { id: lesson.scormPackageId } })) ?? undefined;
}

/** The facts of a package that responses show. */
export function summaryOf({ version, title, masteryScore }: PackageRow): z.output<typeof ScormSummary> {
  return { version: ScormVersion.parse(version), title, masteryScore };
}
