import { randomUUID } from 'node:crypto';
import type { Caller } from '@tandem/caller';

// Keys of objects in the store: `<tenant>/<environment>/<uuid>` for content that came in a form, and a folder of that name for
// an upload with a link. Clients write `…/upload`; the content is copied to a key of its own in the same folder before it is
// checked, so that a link that is still valid cannot change it.

const uploadName = '/upload';

/** A key for new bytes. It begins with the tenant, whose removal removes the folder. */
export function newObjectKey({ tenantId, environment }: Pick<Caller, 'tenantId' | 'environment'>): string {
  return `${tenantId}/${environment}/${randomUUID()}`;
}

/** The key under which clients store a new upload. */
export function newUploadKey(caller: Pick<Caller, 'tenantId' | 'environment'>): string {
  return `${newObjectKey(caller)}${uploadName}`;
}

/** Whether clients store the bytes of this key. */
export function isUploadKey(objectKey: string): boolean {
  return objectKey.endsWith(uploadName);
}

/** A key for a copy of an upload, which no link names. */
export function newContentKey(uploadKey: string): string {
  return `${uploadFolderOf(uploadKey)}${randomUUID()}`;
}

/**
 * The folder with all bytes of an upload.
 * @throws Error for the key of anything else, whose folder has the files of the tenant
 */
export function uploadFolderOf(uploadKey: string): `${string}/` {
  if (!isUploadKey(uploadKey)) throw new Error(`${uploadKey} is not the key of an upload`);
  return `${uploadKey.slice(0, -uploadName.length)}/`;
}

/** The key under which clients stored the content of this key; undefined for content that came in a form. */
export function uploadKeyOf(contentKey: string): string | undefined {
  const [tenantId, environment, upload, content] = contentKey.split('/');
  return content === undefined ? undefined : `${tenantId}/${environment}/${upload}${uploadName}`;
}
