// The entry of the page's second file.
import { reader } from "./reader";
import { ptxView } from "./view";

ptxcvtPage.provide(BUILD, { view: ptxView, reader });
