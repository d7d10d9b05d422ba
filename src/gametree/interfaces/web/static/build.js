export async function mount(main) { main.append(document.createElement("h1")); }
