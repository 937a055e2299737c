import { startService } from '@tandem/service';
import { settings } from './config.ts';
import { searchService } from './service.ts';

startService(searchService(settings));
