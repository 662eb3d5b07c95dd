import { measureInbox } from './speed';

measureInbox('SQLite');
