import { startService } from '@tandem/service';
import { settings } from './config.ts';
import { filesService } from './service.ts';

startService(await filesService(settings));
