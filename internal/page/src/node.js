// The page of a run: that of a node, or a finished one.

import './page.css';
import { follow } from './feed.js';
import { learned } from './learned.js';
import { privacy } from './privacy.js';
import { run } from './run.js';
import { start } from './shell.js';

start([run, privacy, learned]);
follow();
