import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';

// Where Debian puts servers; the path of an ordinary user leaves it out.
const moreFolders = ['/usr/local/sbin', '/usr/sbin', '/sbin', '/usr/local/bin', '/usr/bin', '/bin'];

/** The full path of a command of the machine. */
export function findCommand(name: string): string | undefined {
  const folders = [...(process.env['PATH'] ?? '').split(delimiter).filter(Boolean), ...moreFolders];
  return folders.map((folder) => join(folder, name)).find(isExecutable);
}

/** Whether we may run this file. */
export function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
