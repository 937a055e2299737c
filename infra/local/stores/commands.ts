import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';

// Debian installs servers in sbin folders, which are not in the PATH of ordinary users.
const extraFolders = ['/usr/local/sbin', '/usr/sbin', '/sbin', '/usr/local/bin', '/usr/bin', '/bin'];

/** The full path of a command installed on the machine. */
export function findCommand(name: string): string | undefined {
  const folders = [...(process.env['PATH'] ?? '').split(delimiter).filter(Boolean), ...extraFolders];
  return folders.map((folder) => join(folder, name)).find(isExecutable);
}

/** Whether this process may execute the file. */
export function isExecutable(file: string): boolean {
  try {
    accessSync(file, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
